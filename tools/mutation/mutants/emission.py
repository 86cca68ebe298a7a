"""Deliberate faults of what ops compute at a point, see __init__.py."""

from .mutant import of_file

EMISSION = [
    *of_file(
        "lib/Conversion/Math/Float8Quotient.cpp",
        "Execution",
        (
            "quotients-are-not-corrected",
            "return fma(negate(excess), inverse, start);",
            "return start;",
        ),
        (
            "large-dividends-stay",
            "Value numerator = cutOff(product(dividend, toLanes(power)));",
            "Value numerator = product(dividend, toLanes(power));",
        ),
        (
            "divisors-lose-their-sign",
            "fieldOf(divisor, signMask)));",
            "fieldOf(divisor, 0)));",
        ),
        (
            "small-divisors-are-zeros",
            "word(largestPower));",
            "word(exponentMask));",
        ),
        (
            "special-divisors-are-one",
            "select(isUsual, power, approximateReciprocal(divisor))",
            "select(isUsual, power, real(1))",
        ),
    ),
    *of_file(
        "lib/Conversion/Points/EmitRotary.cpp",
        "lit:Regressions lit:Conversion py:test_math lit:Examples random",
        (
            "interleaved-lanes-turn-the-other-way",
            "signs.push_back(lane / 2 + (lane % 2 ? 0 : lanes / 2));",
            "signs.push_back(lane / 2 + (lane % 2 ? lanes / 2 : 0));",
        ),
        (
            "half-turns-the-other-way",
            "return fma(x, angle.cos, first ? negate(term) : term);",
            "return fma(x, angle.cos, first ? term : negate(term));",
        ),
        ("inverse-is-forgotten", "if (op.getInverse())", "if (false)"),
        (
            "long-sequences-turn-as-short-ones",
            "row = emitter.add(row, firstFrequency());",
            "",
        ),
        ("magnitude-is-forgotten", "if (magnitude == 1)", "if (true)"),
        (
            "one-head-more-turns",
            "loc, emitter.less(head, Index::constant(heads)),",
            "loc, emitter.less(head, Index::constant(heads + 1)),",
        ),
        (
            "table-is-read-past-its-end",
            "number = arith::MinSIOp::create(builder, loc, number, last);",
            "(void)last;",
        ),
        (
            "features-past-the-rotated-ones-turn",
            "return select(emitter.less(d, limit), y, x);",
            "return y;",
        ),
        (
            "frequencies-of-the-whole-head",
            "table.push_back(turnsOfAngle(frequency));",
            "table.push_back(turnsOfAngle(frequency / 2));",
        ),
    ),
    *of_file(
        "lib/Conversion/Points/EmitRotaryPosition.cpp",
        "lit:Rotary lit:Examples random",
        (
            "sequences-start-a-token-late",
            "builder, loc, arith::CmpIPredicate::sle, begins, tokenNumber());",
            "builder, loc, arith::CmpIPredicate::slt, begins, tokenNumber());",
        ),
        (
            "offsets-of-the-first-sequence",
            "return read(offsets, sequence, both(guardOf(sequence), exists));",
            "return read(offsets, Index::constant(0), exists);",
        ),
    ),
    *of_file(
        "lib/Conversion/Points/EmitPointwise.cpp",
        "Regression py:test_regressions lit:Conversion random",
        (
            "integers-divided-by-zero",
            "return select(byZero, zero, select(byMinusOne, negated, quotient));",
            "return select(byMinusOne, negated, quotient);",
        ),
        (
            "sign-of-nan-is-1",
            "return select(compareFloat(arith::CmpFPredicate::OGT, in[0], zero), one,",
            "return select(compareFloat(arith::CmpFPredicate::UGT, in[0], zero), one,",
        ),
        (
            "nan-equals-everything",
            "arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,",
            "arith::CmpFPredicate::OEQ, arith::CmpFPredicate::ONE,",
        ),
        (
            "written-divisions-are-approximate",
            "(isa<DivOp, RecipOp>(op) && !op->hasAttr(kAccuracyAttr));",
            "false;",
        ),
        (
            "iota-counts-up-from-the-end",
            "index = emitter.add(index, size);",
            "(void)size;",
        ),
    ),
    *of_file(
        "lib/Conversion/Pointwise/AlikeSegments.cpp",
        "lit:Programs/steps-of-many",
        (
            "tails-are-alike-whole-vectors",
            "isWhole(head.number) != isWhole(number) || !found.find()",
            "!found.find()",
        ),
        (
            "elements-are-those-of-the-first",
            "group.differInSize |= found.differInSize();",
            "group.differInSize = false;",
        ),
        (
            "blocks-start-at-those-of-all",
            "Index own = emitter.sub(block, {*next++});",
            "Index own = block;\n  ++next;",
        ),
    ),
    *of_file(
        "lib/Conversion/Points/EmitCast.cpp",
        "py:test_casts lit:Programs/small-types",
        (
            "casts-and-strict-do-not-round",
            "  if (element == compute)\n    return value;\n  Value rounded =",
            "  if (true)\n    return value;\n  Value rounded =",
        ),
        (
            "integers-beyond-the-significand-round-twice",
            "arith::SelectOp::create(builder, loc, isWhole, kept, odd)",
            "kept",
        ),
        (
            "integers-beyond-the-range-wrap",
            "arith::MinSIOp::create(builder, loc, value, high)",
            "value",
        ),
    ),
    *of_file(
        "lib/Conversion/Math/MathExp.cpp",
        "Conversion py:test_math",
        ("exp-coefficient", "0x1.5554acp-3,", "0x1.5554fcp-3,"),
        ("exp-underflows-early", "-104.5, ", "-87.0, "),
        (
            "expm1-loses-its-sign",
            "return x.emitter->copySign(expM1Unsigned(x), x);",
            "return expM1Unsigned(x);",
        ),
    ),
    *of_file(
        "lib/Conversion/Math/MathLog.cpp",
        "Conversion py:test_math",
        (
            "log-of-denormals",
            "e.select(isDenormal, e.f(-scaleExponent), e.f(0.0));",
            "e.f(0.0);",
        ),
        (
            "log-of-negatives",
            "e.fma(x, infinity, infinity);",
            "x;",
        ),
    ),
    *of_file(
        "lib/Conversion/Points/PaddedPlaces.cpp",
        "lit:Conversion lit:Programs",
        ("padding-is-read-outside", "point.dims[axis] = {place};", ""),
    ),
    *of_file(
        "lib/Conversion/Math/MathTrig.cpp",
        "Conversion py:test_math",
        ("digits-of-tau", "0x7f09d5f47d4d3770", "0x7f09d5f47d4d2770"),
        (
            "angle-of-negatives",
            "e.select(isNegative, w.constant(0) - angle.quadrant, angle.quadrant)",
            "angle.quadrant",
        ),
    ),
    *of_file(
        "lib/Conversion/Math/MathDivide.cpp",
        "lit:Conversion",
        (
            "reciprocals-are-not-refined",
            "return e.fma(error, first, first);",
            "return first;",
        ),
        (
            "reciprocals-of-infinity",
            "e.fma(-e.atMost(x, largest), first, e.f(1.0))",
            "e.fma(-x, first, e.f(1.0 + 0 * largest))",
        ),
    ),
    *of_file(
        "lib/Conversion/Math/MathErf.cpp",
        "Conversion py:test_math",
        (
            "tanh-threshold",
            "return e.select(a < e.f(0.55), near, far);",
            "return e.select(a < e.f(0.75), near, far);",
        ),
    ),
    *of_file(
        "lib/Codegen/Assemble.cpp",
        "Codegen",
        (
            "spills-are-assembled-once",
            "if (bounded == ptx || !mayHelp(bounded, kernels, target, options))",
            "if (true)",
        ),
        (
            "a-bound-that-spills-stays",
            "kernel.losesBound = isHeldByBound(ptx, kernel.name);",
            "kernel.losesBound = false;",
        ),
        (
            "the-second-cubin-always-counts",
            "if (!spillsLess(second->kernels, kernels) ||",
            "if (false ||",
        ),
    ),
]

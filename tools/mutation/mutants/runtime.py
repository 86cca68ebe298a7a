"""Deliberate faults of the runtime and of what loads programs, see __init__.py."""

from .mutant import of_file

RUNTIME = [
    *of_file(
        "lib/Runtime/Arguments.cpp",
        "Runtime",
        (
            "shapes-are-not-compared",
            "if (*expected != view.shape[index])",
            "if (false)",
        ),
        (
            "neighbours-overlap",
            "beginA < beginB + b.bytes &&",
            "beginA <= beginB + b.bytes &&",
        ),
        (
            "aliases-may-be-shifted",
            "(addresses[self] == addresses[other] &&",
            "(true &&",
        ),
        (
            "the-last-two-outputs-may-overlap",
            "for (unsigned other = 0; other < index; ++other)",
            "for (unsigned other = 0; other + 1 < index; ++other)",
        ),
        ("null-is-data", "if (!address)", "if (false)"),
        ("alignment-is-not-checked", "if (remainder != 0)", "if (false)"),
    ),
    *of_file(
        "lib/Runtime/Facts.cpp",
        "Runtime",
        (
            "huge-temporaries-are-small",
            "    facts.index32 &= *count <= maxIndex32Elements;\n  }\n",
            "  }\n",
        ),
        (
            "many-bytes-are-few",
            "if (bound > 0 && bytes <= uint64_t(bound))",
            "if (bound > 0)",
        ),
        (
            "all-sizes-share-kernels-of-few",
            "if (bound > 0 && bytes <= uint64_t(bound))",
            "if (bytes <= uint64_t(bound) || bound == 0)",
        ),
        (
            "everything-is-whole-vectors",
            "return elements % vectorBytes * sizeInBytes(dtype) % vectorBytes == 0;",
            "return true;",
        ),
        (
            "everything-is-aligned",
            "return reinterpret_cast<uintptr_t>(view.data) % vectorBytes == 0;",
            "return true;",
        ),
    ),
    *of_file(
        "lib/Runtime/ArenaPlan.cpp",
        "Runtime",
        (
            "temporaries-of-one-step-share",
            "return a.first <= b.last && b.first <= a.last;",
            "return a.first < b.last && b.first < a.last;",
        ),
    ),
    *of_file(
        "lib/Runtime/BlockPool.cpp",
        "Runtime",
        (
            "blocks-past-the-grid",
            "body(first, first + std::min(step, grid - first));",
            "body(first, first + step);",
        ),
        (
            "last-range-is-missing",
            "ranges(grid / step + (grid % step != 0)),",
            "ranges(grid / step),",
        ),
    ),
    *of_file(
        "lib/Execution/JIT.cpp",
        "py:test_regressions py:test_cpu Regression Execution CAPI",
        (
            "one-variant-for-all-facts",
            "return plainVariants[facts.key()].load(",
            "return plainVariants[Facts::usual().key()].load(",
        ),
    ),
    *of_file(
        "lib/Compiler/Source.cpp",
        "Compiler",
        (
            "results-of-values-do-not-add-up",
            "  results += last - known;\n",
            "",
        ),
        (
            "any-nesting-is-parsed",
            "if (operators.size() - 1 > maxNesting || ",
            "if (",
        ),
    ),
]

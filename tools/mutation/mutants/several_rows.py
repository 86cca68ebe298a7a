"""Deliberate faults of rows that a thread has several of; see __init__.py."""

from .mutant import of_file

SEVERAL_ROWS = [
    *of_file(
        "lib/Conversion/Rows/RowsPerThread.cpp",
        "lit:Emulator lit:Conversion",
        (
            "all-rows-of-a-thread-have-one-head",
            "apart % geometry.edges.unit == 0",
            "(void(apart), true)",
        ),
        (
            "rows-of-a-thread-are-neighbours",
            "Index::constant(i * apart)",
            "Index::constant(i)",
        ),
        (
            "blocks-of-some-rows-have-all",
            "emitter.less(last, emitter.product(rows.space.rows()))",
            "emitter.less(first, emitter.product(rows.space.rows()))",
        ),
        ("rows-are-loaded-one-by-one", "  loadSeveral(present);\n", ""),
        (
            "rows-one-by-one-do-not-meet",
            "exchange.endRow();",
            "",
        ),
    ),
    *of_file(
        "lib/Schedule/ShortRowsPerThread.cpp",
        "lit:Schedule",
        (
            "rows-that-fit-are-as-others",
            "return vectors > 0 && vectors <= fewVectors * threads;",
            "return false;",
        ),
        (
            "blocks-that-stay-have-several-rows",
            " || isSmall() ||\n      !segment.across.empty())",
            " || isSmall())",
        ),
        (
            "labels-cost-nothing",
            "bool isAlone = kernel.getBody().getNumArguments() == inputs;",
            "bool isAlone = true;",
        ),
        ("unweighed-rows-have-two", "{2, 8, hasWeights ? 2 : 1}", "{2, 8, 2}"),
        (
            "several-rows-take-any-registers",
            "\n      .withLeastBlocks(boundedHeldThreads / schedule.getThreads());",
            ";",
        ),
        (
            "shortest-rows-of-8-bits",
            "if (isKnown && narrowestBytes > 1)",
            "if (isKnown)",
        ),
        (
            "shortest-rows-are-as-others",
            "if (isKnown && narrowestBytes > 1)",
            "if (false)",
        ),
        (
            "shortest-even-rows-are-shared-by-four",
            "(!isOdd && length < fewestOfFour)",
            "(!isOdd && length < 8)",
        ),
        (
            "shortest-multiples-of-four-are-shared-by-four",
            "if (length % 4 == 0 || (!isOdd",
            "if ((!isOdd",
        ),
        (
            "shortest-rows-have-one-vector",
            "shareOf(length, {{10, {1, 2, 1}}, {24, {2, 4, 4}}})",
            "shareOf(length, {{24, {1, 2, 1}}})",
        ),
        (
            "shortest-rows-once-are-shared",
            "{{12, {1, 1, 1}}, {isAlone",
            "{{isAlone",
        ),
        (
            "labels-of-shortest-rows-cost-nothing",
            "{isAlone ? 20 : 24, {1, 2, 4}}",
            "{20, {1, 2, 4}}",
        ),
    ),
]

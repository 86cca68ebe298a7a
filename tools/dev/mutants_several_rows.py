"""Deliberate faults of rows that a thread has several of; see mutants.py."""

from mutant import of_file

SEVERAL_ROWS = [
    *of_file(
        "lib/Conversion/SeveralRows.cpp",
        "lit:Emulator lit:Conversion",
        (
            "all-rows-of-a-thread-have-one-head",
            "schedule.groupsPerBlock() * columns.offset % edges.unit == 0",
            "true",
        ),
        (
            "rows-of-a-thread-are-neighbours",
            "Index::constant(i * apart)",
            "Index::constant(i)",
        ),
        (
            "blocks-of-some-rows-have-all",
            "emitter.less(last, emitter.product(space.rows()))",
            "emitter.less(first, emitter.product(space.rows()))",
        ),
        ("rows-are-loaded-one-by-one", "  loadSeveral();\n", ""),
        (
            "rows-one-by-one-do-not-meet",
            "if (needsBarrierBetweenRows())",
            "if (false)",
        ),
    ),
    *of_file(
        "lib/Schedule/SeveralRows.cpp",
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
    ),
]

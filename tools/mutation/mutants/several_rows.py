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
]

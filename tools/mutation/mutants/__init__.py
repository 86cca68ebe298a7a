"""Deliberate faults of the compiler, for mutate.py: each must fail a test.

A mutant replaces `old`, which stands exactly once in `file`, by `new`. `tests`
names the groups that should notice, the likeliest first: "Runtime" is
FuseRuntimeTests, "lit:NAME" what is under test/NAME, "py:NAME" one of
python/tests, and "random" 150 random programs.
"""

from .emission import EMISSION
from .exchange import EXCHANGE
from .lengths import LENGTHS
from .lowering import LOWERING
from .mma_sync import MMA_SYNC
from .program import PROGRAM
from .repeated_work import REPEATED_WORK
from .rows import ROWS
from .runtime import RUNTIME
from .several_rows import SEVERAL_ROWS
from .streamed import STREAMED
from .sums import SUMS
from .wgmma import WGMMA

MUTANTS = [
    *LOWERING,
    *EXCHANGE,
    *LENGTHS,
    *EMISSION,
    *ROWS,
    *REPEATED_WORK,
    *SEVERAL_ROWS,
    *STREAMED,
    *MMA_SYNC,
    *WGMMA,
    *SUMS,
    *RUNTIME,
    *PROGRAM,
]

# Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fastest schedules among those that were measured, by kernel, length of rows and
size of calls: what a board's file ships beside its trees."""

import collections
import math

from bench.peers import packed

from tuning import schedule_samples

# A schedule that was not measured in a call counts as so much slower there.
UNKNOWN = 0.10
# No call may be slower than with what was chosen before by more than this.
MOST_SLOWER = 0.04
# Lengths of the designed sweep that are of such multiples are worth an entry.
USUAL_MULTIPLE = 64


class Call:
    """A call's times by schedule, and what was chosen for it when it was measured."""

    def __init__(self, us, chosen=None):
        self.us, self.chosen = us, chosen

    @staticmethod
    def of(entry, size):
        schedules = entry["schedules"]
        number = schedule_samples.rule_of(entry, size)
        return Call(
            {schedules[number]: us for number, us in entry["us"][size]},
            schedules[number] if 0 <= number < len(schedules) else None,
        )

    def loss(self, schedule):
        time = self.us.get(schedule)
        return None if time is None else time / min(self.us.values()) - 1


def is_slower(call, schedule):
    """Than what was chosen, by too much; not known counts as slower."""
    if call.chosen not in call.us or schedule == call.chosen:
        return False
    time = call.us.get(schedule)
    return time is None or time > (1 + MOST_SLOWER) * call.us[call.chosen]


def best_of(calls):
    """The schedule that is fastest on average and nowhere far slower than the choice."""
    chosen = [call.chosen for call in calls if call.chosen]
    known = sorted(set().union(*(call.us for call in calls)))
    allowed = [s for s in known if not any(is_slower(call, s) for call in calls)]
    if not allowed:
        return collections.Counter(chosen).most_common(1)[0][0]

    def mean(schedule):
        losses = [call.loss(schedule) for call in calls]
        return sum(math.log1p(UNKNOWN if x is None else x) for x in losses) / len(calls)

    return min(allowed, key=mean)


def is_usual(entry):
    """Whether people have rows of that length: it was swept by hand or is round."""
    return "rules" in entry or entry["columns"] % USUAL_MULTIPLE == 0


def winners_of(entries, keys):
    """{(key, length, size): schedule} of entries whose keys the compiler gave."""
    calls = collections.defaultdict(list)
    for entry, key in zip(entries, keys, strict=True):
        if not key or not is_usual(entry):
            continue
        for size in range(len(entry["us"])):
            level = schedule_samples.bucket_of(schedule_samples.moved_by(entry, size))
            calls[key, entry["columns"], level].append(Call.of(entry, size))
    return {place: best_of(each) for place, each in calls.items()}


def read_products(paths):
    """Of sweeps of few rows, and of weights, the products of one row, as a (name, length,
    rows, {schedule: us}) each. A time with a cold L2 stands before that in a graph."""
    found = []
    for case in (case for path in paths for case in packed.read_json(path)):
        rows, columns, length = case["shape"]
        us = {
            schedule: time[-1] if isinstance(time, list) else time
            for schedule, time in case["us"].items()
            if schedule.startswith("#fuse.rows")
        }
        if rows == 1 and us:
            found.append((case["name"], length, columns, us))
    return found


def products_of(products, key_of):
    """Their winners. `key_of` a product's name, rows and length gives its key and the
    bytes that an element of its weights has."""
    calls = collections.defaultdict(list)
    for name, length, rows, us in products:
        key, size = key_of(name, rows, length)
        level = schedule_samples.bucket_of(size * rows * length)
        calls[key, length, level].append(Call(us))
    return {place: best_of(each) for place, each in calls.items()}


def with_choices(winners, entries, keys):
    """The same, and what was chosen in calls that were measured with that alone."""
    chosen = collections.defaultdict(collections.Counter)
    for entry, key in zip(entries, keys, strict=True):
        for size, ((number, _),) in enumerate(entry["us"]):
            level = schedule_samples.bucket_of(schedule_samples.moved_by(entry, size))
            chosen[key, entry["columns"], level][entry["schedules"][number]] += 1
    usual = {place: count.most_common(1)[0][0] for place, count in chosen.items()}
    return {**usual, **winners}


def as_json(winners):
    """{"schedules": [...], "winners": {key: [length, size, number, ...]}}."""
    schedules = sorted(set(winners.values()))
    numbers = {schedule: number for number, schedule in enumerate(schedules)}
    table = collections.defaultdict(list)
    for (key, length, level), schedule in sorted(winners.items()):
        table[key] += [length, level, numbers[schedule]]
    return {"schedules": schedules, "winners": dict(table)}


def from_json(data):
    """What as_json() was given."""
    found = {}
    for key, numbers in data["winners"].items():
        for at in range(0, len(numbers), 3):
            length, level, number = numbers[at : at + 3]
            found[key, length, level] = data["schedules"][number]
    return found

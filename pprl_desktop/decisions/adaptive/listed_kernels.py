"""The inner loops of the scan through lists of similar values; imported only when it runs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from pprl_desktop.compute.threads import jit

AHEAD = 12  # runs of rows asked for before their turn: what memory delivers while that many are compared
LINES = 8  # lines of the cache asked for of one run: of a longer one the processor brings the rest by itself
LINE = 16  # numbers that come with one line of the cache


@intrinsic
def _fetch(typingctx: Any, array: Any, at: Any) -> Any:
    """Asks memory for a place of an array that will be read soon; changes nothing, whatever the place."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        held = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.bitcast(builder.gep(held.data, [args[1]]), cgutils.voidptr_t)
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
        asked = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(asked, [place, word(0), word(3), word(1)])  # to be read, kept near, data
        return context.get_dummy_value()

    return types.void(array, types.intp), code


class Planned(NamedTuple):
    """Own rows, and how far each of their fields is followed."""

    own: Any  # [rows, fields] own value, -1: missing
    least: Any  # [rows, fields] values above this weight are followed
    cost: Any  # [rows] comparisons


class Similar(NamedTuple):
    """What each own value weighs with the partner values that are like it."""

    weight: Any  # [own values, levels]
    base: Any  # [own values] with partner values that are not in its list
    at: Any  # [own values + 1] where its list begins
    listed: Any  # partner values of all fields, numbered through
    level: Any  # of each of them


class Posted(NamedTuple):
    """The partner's rows by value, and its values by row."""

    at: Any  # [partner values + 1]
    rows: Any  # with each partner value
    beside: Any  # [as rows, fields - 1] their other values: read one after the other
    values: Any  # [rows, fields] partner value, numbered through
    nobody: Any  # [fields] stands for a missing one


@jit
def plan(own: Any, weight: Any, count: Any, bar: float, partner_rows: int, least: Any, cost: Any) -> None:
    """Down to which weight each field is followed, so that no pair can reach the bar without being met (Fagin 2001).

    own      [rows, fields] own value, -1: missing
    weight   [own values, steps] falling; the last one is what a pair has that is met nowhere
    count    [own values, steps] partner rows with that weight
    least    out [rows, fields]: values above this weight are followed
    cost     out [rows]: comparisons; all partner rows where nothing less will do
    """
    steps = weight.shape[1]
    at = np.zeros(own.shape[1], np.int64)
    for row in range(own.shape[0]):
        bound = np.float32(0.0)
        total = 0
        for f in range(own.shape[1]):
            at[f] = 0
            if own[row, f] >= 0:
                bound += weight[own[row, f], 0]
        while bound >= bar and total < partner_rows:
            best, to, ratio, price = -1, 0, -1.0, 0
            for f in range(own.shape[1]):
                v = own[row, f]
                if v < 0:
                    continue
                rows = 0
                for step in range(at[f] + 1, steps):
                    rows += count[v, step - 1]
                    gain = weight[v, at[f]] - weight[v, step]
                    if gain > 0.0 and gain / (rows + 1.0) > ratio:
                        best, to, ratio, price = f, step, gain / (rows + 1.0), rows
            if best < 0:
                total = partner_rows
                break
            v = own[row, best]
            bound -= weight[v, at[best]] - weight[v, to]
            at[best] = to
            total += price
        while bound < bar:  # a later step may have made an earlier one needless: the dearest such go
            best, to, price, loss = -1, 0, 0, np.float32(0.0)
            for f in range(own.shape[1]):
                v, rows = own[row, f], 0
                if v < 0:
                    continue
                for step in range(at[f] - 1, -1, -1):
                    rows += count[v, step]
                    more = weight[v, step] - weight[v, at[f]]
                    if bound + more >= bar:
                        break
                    if rows > price:
                        best, to, price, loss = f, step, rows, more
            if best < 0:
                break
            bound += loss
            at[best] = to
            total -= price
        cost[row] = min(total, partner_rows)
        for f in range(own.shape[1]):
            least[row, f] = weight[own[row, f], at[f]] if own[row, f] >= 0 else 0.0


@jit
def compare(planned: Planned, similar: Similar, posts: Posted, bar: float, line: Any, out: Any) -> int:
    """Own rows with the partner rows that hold a similar value of some field; returns how many pairs reach the bar.

    line   zeros, one for each partner value: weights of the present own row, above the base
    out    [2, room] own and partner rows of the pairs
    """
    own, least, cost = planned.own, planned.least, planned.cost
    weight, base, list_at, listed, level = similar.weight, similar.base, similar.at, similar.listed, similar.level
    post_at, posted, beside, partner, nobody = posts.at, posts.rows, posts.beside, posts.values, posts.nobody
    out_own, out_partner = out[0], out[1]
    fields = own.shape[1]
    holder = np.full(fields, -1, np.int64)
    above = np.zeros(fields, np.float32)
    longest = 0
    for row in range(own.shape[0]):
        for f in range(fields):
            if own[row, f] >= 0:
                longest = max(longest, list_at[own[row, f] + 1] - list_at[own[row, f]])
    # the runs of partner rows that an own row is compared with: few rows each, anywhere in memory
    first, last, over = np.empty(longest, np.int64), np.empty(longest, np.int64), np.empty(longest, np.float32)
    others = beside.reshape(-1)
    held = 0
    for row in range(own.shape[0]):
        total = np.float32(0.0)
        for f in range(fields):
            v, before = own[row, f], holder[f]
            if v != before:
                if before >= 0:
                    for e in range(list_at[before], list_at[before + 1]):
                        line[listed[e]] = 0.0
                    line[nobody[f]] = 0.0
                if v >= 0:
                    for e in range(list_at[v], list_at[v + 1]):
                        line[listed[e]] = weight[v, level[e]] - base[v]
                    line[nobody[f]] = -base[v]
                holder[f] = v
            if v >= 0:
                total += base[v]
                above[f] = least[row, f] - base[v]
        if cost[row] >= partner.shape[0]:
            for j in range(partner.shape[0]):
                value = total
                for g in range(fields):
                    value += line[partner[j, g]]
                if value >= bar:
                    out_own[held], out_partner[held] = row, j
                    held += 1
            continue
        for f in range(fields):
            v = own[row, f]
            if v < 0:
                continue
            runs = 0
            for e in range(list_at[v], list_at[v + 1]):
                more = weight[v, level[e]] - base[v]
                if more > above[f]:
                    first[runs], last[runs], over[runs] = post_at[listed[e]], post_at[listed[e] + 1], total + more
                    runs += 1
            for run in range(runs):
                if run + AHEAD < runs:
                    begin, end = first[run + AHEAD] * (fields - 1), last[run + AHEAD] * (fields - 1)
                    for at in range(begin, min(end, begin + LINES * LINE), LINE):
                        _fetch(others, at)
                for p in range(first[run], last[run]):
                    value = over[run]
                    for g in range(fields - 1):
                        value += line[beside[p, g]]
                    if value < bar:
                        continue
                    j = posted[p]
                    met = False
                    for g in range(f):
                        if own[row, g] >= 0 and line[partner[j, g]] > above[g] and partner[j, g] != nobody[g]:
                            met = True  # before, by way of field g
                            break
                    if not met:
                        out_own[held], out_partner[held] = row, j
                        held += 1
    return held

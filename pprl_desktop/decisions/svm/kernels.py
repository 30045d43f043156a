"""Compiled inner loops of the split join: exact costs of value pairs, lower bounds of them, and the search itself.

All fields lie one after the other in flat arrays, so one compiled version serves any number of fields. A cost is a
whole number: W_cos * (cosine distance on a fixed grid) + W_max * (largest difference), summed over the attributes of a
field. Costs decide; float32 only ever serves as a lower bound that is known to be too low.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pprl_desktop.compute.threads import jit, jit_bound
from pprl_desktop.decisions.svm.vectors import Values

GRID = 65536  # steps of the cosine distance between 0 and 1
DIMENSIONS = 32  # of the projection: holds 83 % of a random distance, where 24 hold 78 % and 16 hold 70 %
FIRST = 8  # of these dimensions are looked at first; most values fall there
PIVOTS = 12  # reference records whose differences are looked at first
TILE = 256  # partner values bounded at once; keeps the accumulators in the first-level cache
STEPS = 200  # of remembered bounds per budget, rounded down; 255 is beyond every budget
BINS = 256  # histogram of costs, to know what a lower budget would keep


class Asked(NamedTuple):
    """What is searched for: own first-level groups, the order of the fields, and what pairs may cost."""

    first: Any
    last: Any
    order: Any
    budget: Any
    capped: Any
    cap: Any
    least: Any
    slack: Any
    made_for: Any
    stop: Any


class Own(NamedTuple):
    """The own records, sorted, the values of their fields, and the projection of these."""

    codes: Any
    start: Any
    sub: Any
    subs: Any
    values: Values
    projected: Any
    projected_at: Any
    distinct: Any


class Partner(NamedTuple):
    """The same of the partner, with the columns and pivots that bounds are read from."""

    codes: Any
    start: Any
    sub: Any
    subs: Any
    second: Any
    values: Values
    projected: Any
    projected_at: Any
    distinct: Any
    columns: Any
    column_at: Any
    pivot_values: Any
    pivot_at: Any


class Bounds(NamedTuple):
    """What is known of costs before they are computed."""

    neutral: Any
    largest: Any
    pivots: Any
    pivot_count: Any
    rest: Any
    rest_at: Any
    place: Any
    place_at: Any
    low: Any
    high: Any
    low_at: Any
    rows2: Any
    known2: Any


class Out(NamedTuple):
    """Where pairs are written; the histogram tells which lower budget would fit."""

    own: Any
    partner: Any
    cost: Any
    histogram: Any


# Slices counted from 0 let the compiler use vector instructions; indices that might be negative do not.


@jit
def weighted_dot(x, y, counts):  # type: ignore[no-untyped-def]
    dot = np.int32(0)  # 32 bits on purpose: eight lanes instead of four; 255^2 * 20,000 records still fit
    for r in range(len(x)):
        dot = np.int32(dot + np.int32(np.int32(np.int32(x[r]) * np.int32(y[r])) * counts[r]))
    return dot


@jit
def largest_difference(x, y):  # type: ignore[no-untyped-def]
    m = np.uint8(0)
    for r in range(len(x)):
        p, q = x[r], y[r]
        d = np.uint8(p - q) if p > q else np.uint8(q - p)
        m = d if d > m else m
    return m


@jit
def value_cost(own, u, partner, v, form, f, limit):  # type: ignore[no-untyped-def]
    """Exact cost of own value u and partner value v of field f; stops early, with something above, beyond `limit`."""
    X, Y, counts = own.values, partner.values, form.counts
    width, groups = np.int64(form.widths[f]), np.int64(form.groups[f])
    xo, yo, co = own.value_at[f] + u * width, partner.value_at[f] + v * width, form.count_at[f]
    xno, yno = own.square_at[f] + u * groups, partner.square_at[f] + v * groups
    cost = np.int64(0)
    start = 0
    for g in range(groups):
        end = form.ends[f, g]
        if form.cosine[f, g] > 0:
            dot = weighted_dot(X[xo + start : xo + end], Y[yo + start : yo + end], counts[co + start : co + end])
            a, b = own.squares[xno + g], partner.squares[yno + g]
            if a == 0 or b == 0:
                step = np.int64(0 if a == b else GRID)
            else:
                # integers below 2^53, and IEEE root and quotient: the same on every machine
                step = np.int64(np.rint(GRID * (1.0 - dot / math.sqrt(float(a) * float(b)))))
            cost += form.cosine[f, g] * step
        if form.largest[f, g] > 0 and cost <= limit:
            apart = largest_difference(X[xo + start : xo + end], Y[yo + start : yo + end])
            cost += form.largest[f, g] * np.int64(apart)
        if cost > limit:
            return cost
        start = end
    return cost


@jit_bound
def bound_row(u, f, own, partner, form, bounds, out):  # type: ignore[no-untyped-def]
    """Lower bounds, as shares of the budget, of own value u against all partner values of field f."""
    d, width, groups = partner.distinct[f], form.widths[f], form.groups[f]
    A, a_at, PX, px_at = own.values.values, own.values.value_at[f], own.projected, own.projected_at[f]
    PT, pt_at, B, b_at = partner.columns, partner.column_at[f], partner.pivot_values, partner.pivot_at[f]
    piv, pivots, place, place_at = bounds.pivots, bounds.pivot_count, bounds.place, bounds.place_at[f]
    mx = np.empty(TILE, dtype=np.uint8)
    acc = np.empty(TILE, dtype=np.float32)
    for start in range(0, d, TILE):
        m = min(TILE, d - start)
        for j in range(m):
            acc[j] = np.float32(0.0)
        for k in range(DIMENSIONS):
            p = PX[px_at + u * DIMENSIONS + k]
            row = PT[pt_at + k * d + start : pt_at + k * d + start + m]
            for j in range(m):
                t = row[j] - p
                acc[j] += t * t
        for g in range(groups):
            w = bounds.largest[f, g]
            if w <= np.float32(0.0):
                continue
            for j in range(m):
                mx[j] = 0
            for c in range(pivots[f, g]):
                x = A[a_at + u * width + piv[f, g, c]]
                at = b_at + (g * PIVOTS + c) * d + start
                line = B[at : at + m]
                for j in range(m):
                    y = line[j]
                    apart = np.uint8(x - y) if x > y else np.uint8(y - x)
                    mx[j] = apart if apart > mx[j] else mx[j]
            for j in range(m):
                acc[j] += w * np.float32(mx[j])
        for j in range(m):
            out[place[place_at + start + j]] = acc[j]


@jit_bound
def near_values(u, f, own, partner, form, bounds, limit, near, near_bound):  # type: ignore[no-untyped-def]
    """Partner values of field f with records, whose lower bound against own value u is within the limit."""
    d, width, groups, start_y = partner.distinct[f], form.widths[f], form.groups[f], partner.start
    A, a_at, PX, px_at = own.values.values, own.values.value_at[f], own.projected, own.projected_at[f]
    PT, pt_at, B, b_at = partner.columns, partner.column_at[f], partner.pivot_values, partner.pivot_at[f]
    piv, pivots, place, place_at = bounds.pivots, bounds.pivot_count, bounds.place, bounds.place_at[f]
    RY, ry_at, low, high, low_at = bounds.rest, bounds.rest_at[f], bounds.low, bounds.high, bounds.low_at[f]
    number = 0
    acc = np.empty(TILE, dtype=np.float32)
    mx = np.empty(TILE, dtype=np.uint8)
    left = np.empty(TILE, dtype=np.int32)
    x = PX[px_at + u * DIMENSIONS : px_at + (u + 1) * DIMENSIONS]
    rest = x[FIRST:]
    p0, p1, p2, p3, p4, p5, p6, p7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
    corners = FIRST + piv.shape[1] * PIVOTS
    gaps, mine = np.empty(corners, dtype=np.float32), np.zeros(corners, dtype=np.float32)
    mine[:FIRST] = x[:FIRST]
    for g in range(groups):
        for c in range(pivots[f, g]):
            mine[FIRST + g * PIVOTS + c] = A[a_at + u * width + piv[f, g, c]]
    for start in range(0, d, TILE):
        m = min(TILE, d - start)
        # whole tiles lie too far away
        box = low_at + start // TILE * corners
        least, most = low[box : box + corners], high[box : box + corners]
        for c in range(corners):
            under, over = least[c] - mine[c], mine[c] - most[c]
            gap = under if under > over else over
            gaps[c] = gap if gap > np.float32(0.0) else np.float32(0.0)
        total = np.float32(0.0)
        for c in range(FIRST):
            total += gaps[c] * gaps[c]
        for g in range(groups):
            widest = np.float32(0.0)
            for gap in gaps[FIRST + g * PIVOTS : FIRST + g * PIVOTS + pivots[f, g]]:
                widest = gap if gap > widest else widest
            total += bounds.largest[f, g] * widest
        if total > limit:
            continue
        at = pt_at + start
        # one pass over eight rows keeps the sums in registers
        r0, r1, r2, r3 = PT[at : at + m], PT[at + d : at + d + m], PT[at + 2 * d :][:m], PT[at + 3 * d :][:m]
        r4, r5, r6, r7 = PT[at + 4 * d :][:m], PT[at + 5 * d :][:m], PT[at + 6 * d :][:m], PT[at + 7 * d :][:m]
        for j in range(m):
            t0, t1, t2, t3 = r0[j] - p0, r1[j] - p1, r2[j] - p2, r3[j] - p3
            t4, t5, t6, t7 = r4[j] - p4, r5[j] - p5, r6[j] - p6, r7[j] - p7
            acc[j] = t0 * t0 + t1 * t1 + t2 * t2 + t3 * t3 + t4 * t4 + t5 * t5 + t6 * t6 + t7 * t7
        for g in range(groups):
            w = bounds.largest[f, g]
            if w <= np.float32(0.0):
                continue
            for j in range(m):
                mx[j] = 0
            for c in range(pivots[f, g]):
                a = A[a_at + u * width + piv[f, g, c]]
                line = B[b_at + (g * PIVOTS + c) * d + start :][:m]
                for j in range(m):
                    y = line[j]
                    apart = np.uint8(a - y) if a > y else np.uint8(y - a)
                    mx[j] = apart if apart > mx[j] else mx[j]
            for j in range(m):
                acc[j] += w * np.float32(mx[j])
        kept = 0
        for j in range(m):
            left[kept] = j
            kept += 1 if acc[j] <= limit else 0
        for k in range(kept):
            j = left[k]
            at = ry_at + (start + j) * (DIMENSIONS - FIRST)
            y = RY[at : at + DIMENSIONS - FIRST]
            total = acc[j]
            for c in range(DIMENSIONS - FIRST):
                t = rest[c] - y[c]
                total += t * t
            if total <= limit:
                v = place[place_at + start + j]
                if start_y[v] < start_y[v + 1]:
                    near[number] = v
                    near_bound[number] = total
                    number += 1
    return number


@jit_bound
def bound_pair(u, v, PX, px_at, PY, py_at):  # type: ignore[no-untyped-def]
    x, y = (
        PX[px_at + u * DIMENSIONS : px_at + (u + 1) * DIMENSIONS],
        PY[py_at + v * DIMENSIONS : py_at + (v + 1) * DIMENSIONS],
    )
    total = np.float32(0.0)
    for k in range(DIMENSIONS):
        t = x[k] - y[k]
        total += t * t
    return total


@jit
def pair_costs(us, vs, f, own, partner, form, missing, neutral, out):  # type: ignore[no-untyped-def]
    """Exact costs of given pairs of values of field f; a missing one (`missing`, the code on each side) is neutral."""
    for i in range(len(us)):
        u, v = us[i], vs[i]
        if u == missing[0] or v == missing[1]:
            out[i] = neutral
        else:
            out[i] = value_cost(own, u, partner, v, form, f, np.int64(1) << 62)


@jit
def pair_features(us, vs, f, own, partner, form, cosine, largest):  # type: ignore[no-untyped-def]
    """The features themselves, per attribute: cosine distance on the grid, and the largest difference."""
    width, groups, co = form.widths[f], form.groups[f], form.count_at[f]
    for i in range(len(us)):
        xa, ya = own.value_at[f] + us[i] * width, partner.value_at[f] + vs[i] * width
        xn, yn = own.square_at[f] + us[i] * groups, partner.square_at[f] + vs[i] * groups
        start = 0
        for g in range(groups):
            end = form.ends[f, g]
            x, y = own.values[xa + start : xa + end], partner.values[ya + start : ya + end]
            dot = weighted_dot(x, y, form.counts[co + start : co + end])
            a, b = own.squares[xn + g], partner.squares[yn + g]
            if a == 0 or b == 0:
                cosine[i, g] = 0 if a == b else GRID
            else:
                cosine[i, g] = np.int64(np.rint(GRID * (1.0 - dot / math.sqrt(float(a) * float(b)))))
            largest[i, g] = largest_difference(x, y)
            start = end


@jit
def search(asked, own, partner, form, bounds, out):  # type: ignore[no-untyped-def]
    """Pairs of distinct records whose cost is within the budget, for own first-level groups [first, last).

    Records are sorted by their codes in the `order` of the fields, most selective first. Level 1: values of the first
    field, bounded in bulk. Level 2: the second field inside two near groups, its bounds remembered per pair of values;
    exact costs only where both bounds together leave room. Below that record by record, leaving as soon as the budget
    is spent. The first `capped` fields of the order together may cost `cap` at most, and the last one must cost more
    than `least`: that is how the caller cuts the search in two. Returns the number found, which may be more than the
    buffers hold; the histogram then tells which lower budget would fit.
    """
    first, last, order, budget, capped, cap, least, slack, made_for, stop = asked
    codes_x, start_x, sub_x, subs_x, values_x, PX, pxo, dx = own
    codes_y, start_y, sub_y, subs_y, second_y = partner.codes, partner.start, partner.sub, partner.subs, partner.second
    values_y, PY, pyo, dy = partner.values, partner.projected, partner.projected_at, partner.distinct
    neutral, rows2, known2 = bounds.neutral, bounds.rows2, bounds.known2
    out_i, out_j, out_cost, histogram = out
    found = 0
    fields = len(order)
    f1 = order[0]
    f2 = order[1] if fields > 1 else 0
    d1, d2 = dy[f1], dy[f2]
    near = np.empty(d1 + 1, dtype=np.int32)
    near_cost = np.empty(d1 + 1, dtype=np.int64)
    near_bound = np.empty(d1 + 1, dtype=np.float32)
    bound2 = np.empty(d2, dtype=np.float32)
    dense = len(known2) > 0
    row2 = np.zeros(d2 + 1, dtype=np.uint8)
    exact2 = np.empty(d2 + 1, dtype=np.int64)  # exact costs of the present own subgroup,
    stamp2 = np.full(d2 + 1, -1, dtype=np.int64)  # valid where stamped with its number
    per_budget = np.float32(1.0 / max(made_for, 1))
    most2 = cap if capped > 1 else budget  # for the first two fields
    limit1, limit2 = np.float32(cap) * per_budget + slack, np.float32(most2) * per_budget + slack
    huge = np.int64(1) << 62
    for u in range(first, last):
        if start_x[u] == start_x[u + 1]:
            continue
        if stop[0]:
            return found
        n_near = 0
        if u == dx[f1]:
            if neutral[f1] <= cap:
                for v in range(d1 + 1):
                    if start_y[v] < start_y[v + 1]:
                        near[n_near] = v
                        near_bound[n_near] = np.float32(neutral[f1]) * per_budget
                        near_cost[n_near] = neutral[f1]
                        n_near += 1
        else:
            n_near = near_values(u, f1, own, partner, form, bounds, limit1, near, near_bound)
            for k in range(n_near):
                near_cost[k] = -1  # not known yet: most never need to be
            if neutral[f1] <= cap and start_y[d1] < start_y[d1 + 1]:
                near[n_near] = d1
                near_bound[n_near] = np.float32(neutral[f1]) * per_budget
                near_cost[n_near] = neutral[f1]
                n_near += 1
        if n_near == 0:
            continue
        for s in range(subs_x[u], subs_x[u + 1]):
            if stop[0]:
                return found
            a = codes_x[f2, sub_x[s]] if fields > 1 else 0
            known = fields == 1 or a == dx[f2]
            if dense and not known:
                row2 = rows2[a]
                if known2[a] == 0:
                    # another thread may be at the same row: zeros are true bounds as well, so nothing can go wrong
                    bound_row(a, f2, own, partner, form, bounds, bound2)
                    for b in range(d2):
                        row2[b] = np.uint8(min(bound2[b] * np.float32(STEPS), np.float32(255.0)))
                    row2[d2] = np.uint8(
                        min(np.float32(neutral[f2]) * per_budget * np.float32(STEPS), np.float32(255.0))
                    )
                    known2[a] = 1
            for k in range(n_near):
                v = near[k]
                left_f = limit2 - near_bound[k]
                left_steps = int(left_f * np.float32(STEPS))
                for t in range(subs_y[v], subs_y[v + 1]):
                    b = second_y[t]
                    if known:
                        pass
                    elif dense:
                        if row2[b] > left_steps:
                            continue
                    elif b != d2 and bound_pair(a, b, PX, pxo[f2], PY, pyo[f2]) > left_f:
                        continue
                    if near_cost[k] < 0:
                        near_cost[k] = value_cost(values_x, np.int64(u), values_y, np.int64(v), form, f1, cap)
                        near_bound[k] = np.float32(near_cost[k]) * per_budget  # the truth is the best bound
                        left_f = limit2 - near_bound[k]
                        left_steps = int(left_f * np.float32(STEPS))
                    if near_cost[k] > cap:
                        break
                    left = most2 - near_cost[k]
                    if fields == 1:
                        cost2 = np.int64(0)
                    elif known or b == d2:
                        cost2 = neutral[f2]
                    else:
                        if stamp2[b] != s:
                            stamp2[b] = s
                            exact2[b] = value_cost(values_x, np.int64(a), values_y, np.int64(b), form, f2, budget)
                            if dense:  # the truth is the best bound
                                share2 = np.float32(exact2[b]) * per_budget * np.float32(STEPS)
                                row2[b] = np.uint8(min(share2, np.float32(255.0)))
                        cost2 = exact2[b]
                    if cost2 > left or (fields == 2 and cost2 <= least):
                        continue
                    for i in range(sub_x[s], sub_x[s + 1]):
                        for j in range(sub_y[t], sub_y[t + 1]):
                            cost = near_cost[k] + cost2
                            for q in range(2, fields):
                                f = order[q]
                                x, y = codes_x[f, i], codes_y[f, j]
                                rest = (cap if q < capped else budget) - cost
                                if x == dx[f] or y == dy[f]:
                                    more = neutral[f]
                                elif bound_pair(x, y, PX, pxo[f], PY, pyo[f]) > np.float32(rest) * per_budget + slack:
                                    more = huge
                                else:
                                    more = value_cost(values_x, np.int64(x), values_y, np.int64(y), form, f, rest)
                                if more > rest or (q == fields - 1 and more <= least):
                                    cost = huge
                                    break
                                cost += more
                            if cost <= budget:
                                if found < len(out_i):
                                    out_i[found], out_j[found], out_cost[found] = i, j, cost
                                found += 1
                                histogram[cost * BINS // (made_for + 1)] += 1
    return found

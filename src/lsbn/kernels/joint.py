"""Joint draws of the missing cells of a row, given its observed cells and a network.

Gibbs sampling draws one cell after the other. If two missing cells determine each other, such as
copies, it can hardly change both. Here variable elimination draws many cells at once: the factors
that have a cell are multiplied, the cell is summed out, and so on. Then the cells are drawn in the
opposite order, each given those that were drawn before (Dechter 1999).

A cell without children, or whose children are all drawn from their parents only, tells nothing of
the others, if its probabilities sum to one: it is loose, and is drawn from its parents at the end.
The other cells of a row are divided into blocks, each of which is drawn given all other cells.
Cells that no path of missing cells connects are in different blocks. So are those beyond
`MOST_CELLS`, and those without which a product would have too many numbers. A draw depends on the
earlier states of a row only if cells were left out.
"""

import numpy as np

from lsbn.kernels.blocks import MOST_CELLS, ONE, gather, join_factors, plan, room_of
from lsbn.kernels.borrowed import borrowed
from lsbn.kernels.gaps import drawn_state, key_of, place_of
from lsbn.kernels.jit import njit

__all__ = ["draw_jointly"]

NEAR = 1e-9
"""Probabilities whose sum is nearer to one than this sum to one."""
SMALL = 1e-200
"""A product is scaled when all its numbers are smaller, so that further factors leave some."""


@njit(nogil=True, cache=True)
def _members(block, i):
    """List the cells of the product of a cell, itself first; return their number and the size."""
    block.member[0], block.states[0], n, size = i, block.card[i], 1, block.card[i]
    left, u = block.near[i], 0
    while left:
        if left & ONE:
            block.member[n], block.states[n] = u, block.card[u]
            size *= block.card[u]
            n += 1
        left >>= ONE
        u += 1
    return n, size


@njit(nogil=True, cache=True)
def _multiply(states, digit, step, n, target, source, place):
    """Multiply a product of n cells by a factor, which has steps in its source."""
    for t in range(n):
        digit[t] = 0
    for x in range(target.shape[0]):
        target[x] *= source[place]
        for t in range(n):
            digit[t] += 1
            if digit[t] < states[t]:
                place += step[t]
                break
            place -= step[t] * (states[t] - 1)
            digit[t] = 0


@njit(nogil=True, cache=True)
def _multiply_listed(net, variables, states, n, target, row, c):
    """Multiply a product by the probabilities of a family whose configurations are listed."""
    for x in range(target.shape[0]):
        target[x] *= net.table[place_of(net, c, key_of(net, c, row)) + row[c]]
        for t in range(n):
            v = variables[t]
            row[v] += 1
            if row[v] < states[t]:
                break
            row[v] = 0


@njit(nogil=True, cache=True)
def _multiply_family(net, block, n, target, row, c):
    """Multiply a product of n cells by the probabilities of a variable given its parents.

    The cells of the product have their first states in the row.
    """
    place, card, step = net.table_start[c] + row[c], net.cards[c], block.step
    for t in range(n):
        step[t] = 1 if block.variable[block.member[t]] == c else 0
    for p in range(net.start[c], net.start[c + 1]):
        u, own = net.parents[p], np.int64(net.steps[p]) * card
        i = block.place[u]
        if i >= 0:
            for t in range(n):
                if block.member[t] == i:
                    step[t] = own
        place += row[u] * own
    _multiply(block.states, block.digit, step, n, target, net.table, place)


@njit(nogil=True, cache=True)
def _multiply_sums(block, n, target, values, i):
    """Multiply a product of n cells by the sums of an eliminated cell."""
    step, u, left = 1, 0, block.near[i]
    for t in range(n):
        block.step[t] = 0
    while left:
        if left & ONE:
            for t in range(n):
                if block.member[t] == u:
                    block.step[t] = step
            step *= block.card[u]
        left >>= ONE
        u += 1
    _multiply(block.states, block.digit, block.step, n, target, values, block.first[i])


@njit(nogil=True, cache=True)
def _multiply_families(net, block, n, target, row, v):
    """Multiply a product of n cells by the families of a variable that no product has yet."""
    net, block, target, row = borrowed(net), borrowed(block), borrowed(target), borrowed(row)
    for j in range(net.child_start[v] - 1, net.child_start[v + 1]):
        c = v if j < net.child_start[v] else net.children[j]
        if block.used[c] == block.totals[0] or block.loose[c]:
            continue
        block.used[c] = block.totals[0]
        if net.key_start[c] == net.key_start[c + 1]:
            _multiply_family(net, block, n, target, row, c)
        else:
            variables = block.variable[block.member[:n]]
            _multiply_listed(net, variables, block.states, n, target, row, c)
        _scale(target, SMALL)


@njit(nogil=True, cache=True)
def _eliminate(net, block, row, drawn, values):
    """Multiply the factors of each cell, and sum it out.

    The sums of cell i begin at ``first[i]``. Its product comes after them.
    """
    used = 0
    for d in range(drawn):
        block.rank[block.order[d]] = d
        row[block.variable[block.order[d]]] = 0
    block.totals[0] += 1
    for d in range(drawn):
        i = block.order[d]
        n, size = _members(block, i)
        rest = size // block.card[i]
        block.first[i], v = used, block.variable[i]
        product = values[used + rest : used + rest + size]
        product[:] = 1.0
        _multiply_families(net, block, n, product, row, v)
        j = block.head[i]
        while j >= 0:
            _multiply_sums(block, n, product, values, j)
            _scale(product, SMALL)
            j = block.next[j]
        _sum_out(values[used : used + rest], product, block.card[i])
        after = -1
        for t in range(1, n):
            u = block.member[t]
            if after < 0 or block.rank[u] < block.rank[after]:
                after = u
        if after >= 0:
            block.next[i], block.head[after] = block.head[after], i
        used += size + rest


@njit(nogil=True, cache=True)
def _sum_out(sums, product, card):
    """Sum the fastest digit of a product out, and scale the sums."""
    for x in range(sums.shape[0]):
        total = 0.0
        for s in range(card):
            total += product[x * card + s]
        sums[x] = total
    _scale(sums, np.inf)


@njit(nogil=True, cache=True)
def _scale(values, most):
    """Divide numbers by the largest one if it is smaller than a limit.

    So products of many factors do not become zero.
    """
    top = 0.0
    for x in range(values.shape[0]):
        top = max(top, values[x])
    if 0.0 < top < most:
        for x in range(values.shape[0]):
            values[x] /= top


@njit(nogil=True, cache=True)
def _draw_block(block, row, drawn, values, shares, rng):
    """Draw the cells of a block; return the log probability of their states."""
    log = 0.0
    for d in range(drawn - 1, -1, -1):
        i = block.order[d]
        n, size = _members(block, i)
        card = block.card[i]
        place, step = block.first[i] + size // card, card
        for t in range(1, n):
            u = block.member[t]
            place += row[block.variable[u]] * step
            step *= block.card[u]
        total = 0.0
        for s in range(card):
            shares[s] = values[place + s]
            total += shares[s]
        if total <= 0.0:
            shares[:card], total = 1.0, float(card)
        state = drawn_state(shares, card, rng)
        row[block.variable[i]] = state
        log += np.log(shares[state] / total)
    return log


@njit(nogil=True, cache=True)
def _draw_alone(net, loose, v, row, shares, rng):
    """Draw a cell given all others that are not loose; return the log probability of its state."""
    card, place, total = net.cards[v], place_of(net, v, key_of(net, v, row)), 0.0
    shares[:card] = net.table[place : place + card]
    for i in range(net.child_start[v], net.child_start[v + 1]):
        c, step = net.children[i], net.child_steps[i]
        if not loose[c]:
            others = key_of(net, c, row) - np.uint64(row[v]) * step
            for s in range(card):
                place = place_of(net, c, others + np.uint64(s) * step)
                shares[s] *= net.table[place + row[c]]
            _scale(shares[:card], np.inf)
    for s in range(card):
        total += shares[s]
    if total <= 0.0:
        shares[:card], total = 1.0, float(card)
    row[v] = drawn_state(shares, card, rng)
    return np.log(shares[row[v]] / total)


@njit(nogil=True, cache=True)
def _order(net):
    """Return the variables in an order in which parents come first, and which are normal.

    Variables of cycles, and those below them, are not in the order. The probabilities of a normal
    variable sum to one, for all states of its parents.
    """
    n, found = net.cards.shape[0], 0
    order, normal = np.empty(n, np.int64), np.ones(n, np.bool_)
    left = np.empty(n, np.int64)
    for v in range(n):
        left[v] = net.start[v + 1] - net.start[v]
        if left[v] == 0:
            order[found] = v
            found += 1
        for place in range(net.table_start[v], net.table_start[v + 1], net.cards[v]):
            total = net.table[place : place + net.cards[v]].sum()
            normal[v] &= abs(total - 1.0) < NEAR
    k = 0
    while k < found:
        v = order[k]
        k += 1
        for i in range(net.child_start[v], net.child_start[v + 1]):
            c = net.children[i]
            left[c] -= 1
            if left[c] == 0:
                order[found] = c
                found += 1
    return order[:found], normal


@njit(nogil=True, cache=True)
def _loosen(net, order, normal, waiting, loose):
    """Find the cells that tell nothing of others: they wait no more."""
    for k in range(order.shape[0] - 1, -1, -1):
        v = order[k]
        loose[v] = waiting[v] and normal[v]
        for i in range(net.child_start[v], net.child_start[v + 1]):
            loose[v] &= loose[net.children[i]]
        if loose[v]:
            waiting[v] = False


@njit(nogil=True, cache=True)
def _draw_loose(net, order, loose, row, shares, rng):
    """Draw the loose cells, parents first; return the log probability of their states."""
    log = 0.0
    for k in range(order.shape[0]):
        v = order[k]
        if loose[v]:
            loose[v] = False
            place = place_of(net, v, key_of(net, v, row))
            shares[: net.cards[v]] = net.table[place : place + net.cards[v]]
            row[v] = drawn_state(shares, net.cards[v], rng)
            log += np.log(shares[row[v]])
    return log


@njit(nogil=True, cache=True)
def _draw_row(net, block, room, cells, row, most, rng):
    """Draw the cells of a row that wait; return the log probability of their states.

    It is not a number if blocks that share factors were drawn one after the other.
    """
    waiting, sizes, shares, values = room
    log, left = 0.0, True
    while left:
        left = False
        for v in cells:
            if not waiting[v]:
                continue
            left = True
            gather(net, block, waiting, v)
            if block.totals[1] == 1:
                waiting[v], block.place[v] = False, -1
                log += _draw_alone(net, block.loose, v, row, shares, rng)
                continue
            join_factors(net, block)
            drawn = plan(block, waiting, sizes, most)
            if drawn < block.totals[1] or block.totals[1] == MOST_CELLS:
                log = np.nan
            _eliminate(net, block, row, drawn, values)
            log += _draw_block(block, row, drawn, values, shares, rng)
            for i in range(block.totals[1]):
                block.place[block.variable[i]] = -1
    return log


@njit(nogil=True, cache=True)
def _draw_rows(net, block, room, gaps, most, rng, logs):
    """Draw the missing cells of each row: `draw_jointly`, with room for its work."""
    net, block, room = borrowed(net), borrowed(block), borrowed(room)
    rows, start, variables, order, normal = borrowed(gaps)
    waiting, shares = room[0], room[2]
    for r in range(rows.shape[0]):
        row, cells = rows[r], variables[start[r] : start[r + 1]]
        for v in cells:
            waiting[v] = True
        _loosen(net, order, normal, waiting, block.loose)
        logs[r] = _draw_row(net, block, room, cells, row, most, rng)
        logs[r] += _draw_loose(net, order, block.loose, row, shares, rng)


@njit(nogil=True, cache=True)
def draw_jointly(net, rows, start, variables, most, rng, logs):
    """Draw the missing cells of each row, block by block.

    Parameters
    ----------
    net : NetworkTables
    rows : (m, n) int array
        The codes of each row, which are changed in its missing cells.
    start, variables : (m + 1,) and int64 arrays
        The missing cells of row r are those of ``variables[start[r]:start[r + 1]]``.
    most : int
        Most numbers in the product of the factors that have a cell.
    rng : numpy.random.Generator
    logs : (m,) float array
        Gets the log probability of the drawn states of each row given its observed cells; not a
        number if it is not known, because blocks were drawn given each other.
    """
    n, states = net.cards.shape[0], net.cards.max()
    values = np.empty(2 * MOST_CELLS * max(most, states))
    room = (np.zeros(n, np.bool_), np.empty(MOST_CELLS), np.empty(states), values)
    gaps = (rows, start, variables, *_order(net))
    _draw_rows(net, room_of(n), room, gaps, most, rng, logs)

# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# ptxas-flow.py CUBIN COUNTS: executes the control flow that ptxas made of the kernels of print-flow, with the barriers
# that it placed, and compares how often each block is executed with COUNTS. Prints, for each kernel that differs, its
# graph, and at the end "N kernels, N alike, N within the range, SUM executed, SUM predicted".
#
# A barrier is a register of the warp; which lanes run next is what an H200 showed of kernels that call themselves
# (sim/exec/flow/split.h).
#
# Only what ptxas makes of these kernels is understood (sm_90): loads are the kernel's choices, stores its marks.
# Fields of instructions: Mesa, src/nouveau/compiler/nak/sm70_encode.rs.
import collections
import struct
import sys

LANES = 32
ALL = (1 << LANES) - 1
TRUE = 7  # the predicate that is always true
STORES = 12  # of each block


def find_code(elf):
    """The code of each kernel, by name."""
    offset, = struct.unpack_from('<Q', elf, 0x28)
    count, names = struct.unpack_from('<HH', elf, 0x3c)
    sections = [struct.unpack_from('<IIQQQQIIQQ', elf, offset + 64 * i) for i in range(count)]
    for section in sections:
        start = sections[names][4] + section[0]
        name = elf[start:elf.index(b'\0', start)].decode()
        if name.startswith('.text.'):
            yield name[6:], elf[section[4]:section[4] + section[5]]


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def lanes_of(mask):
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def hash_visit(seed, block, lane, visit):
    value = (seed * 0x9e3779b9 + block * 0x85ebca6b + lane * 0xc2b2ae35 + visit * 0x27d4eb2f) & 0xffffffff
    value = (value ^ value >> 15) * 0x2c1b3c6d & 0xffffffff
    value = (value ^ value >> 12) * 0x297a2d39 & 0xffffffff
    return value ^ value >> 15


class Warp:
    """One warp in the code of a kernel."""

    def __init__(self, code, seed, graph):
        self.code, self.seed, self.graph = code, seed, graph
        self.executed, self.visits = collections.Counter(), collections.Counter()
        self.registers = collections.defaultdict(lambda: [0] * LANES)
        self.predicates = [0] * TRUE + [ALL]
        self.recorded = [0] * 16 + [ALL]  # a register of the warp for each barrier
        self.living = ALL
        self.ready, self.waiting = [(0, ALL, False)], []

    def choose(self, block, lane):
        """The successor that a lane takes, as tests/random-flow.c says."""
        visit = self.visits[block, lane]
        self.visits[block, lane] += 1
        first, second = (to & 0xffffffff for to in self.graph[block])
        value = hash_visit(self.seed, block, lane, visit)
        return int(second > first) if visit >= 5 and value & 0x30 else value >> 3 & 1

    def predicate(self, number, inverted, mask):
        return (~self.predicates[number] if inverted else self.predicates[number]) & mask

    def set_predicate(self, number, value, mask):
        if number != TRUE:
            self.predicates[number] = self.predicates[number] & ~mask | value & mask

    def settle(self, empty):
        """Lets those go on that nobody is missing for; with empty, those whose register names nobody."""
        for barrier in {waiting[0] for waiting in self.waiting}:
            company = [w for w in self.waiting if w[0] == barrier]
            here = 0
            for _, _, lanes in company:
                here |= lanes
            needed = self.recorded[barrier] & self.living
            if needed & ~here if needed else not empty:
                continue
            going = needed or here
            if barrier < 16:
                self.recorded[barrier] &= ~here
            for w in company:
                self.waiting.remove(w)
                if w[2] & ~going:
                    self.waiting.append((barrier, w[1], w[2] & ~going))
                if w[2] & going:
                    self.ready.append((w[1], w[2] & going, True))

    def next(self):
        """Who runs next: the lanes that became ready last, with all that are ready at the same place in the same way."""
        self.settle(False)
        if not self.ready:
            self.settle(True)
        if not self.ready:
            return 0, 0
        pc, _, waited = self.ready[-1]
        mask = 0
        for other in [r for r in self.ready if (r[0], r[2]) == (pc, waited)]:
            mask |= other[1]
            self.ready.remove(other)
        return pc, mask

    def run(self):
        pc, mask = self.next()
        for _ in range(500000):
            if not mask:
                pc, mask = self.next()
                if not mask:
                    break
            pc, mask = self.step(pc, mask)
        if mask or self.waiting:
            raise ValueError('does not end')

    def step(self, pc, mask):
        """Executes an instruction. Returns where which lanes go on."""
        word = int.from_bytes(self.code[pc:pc + 16], 'little')

        def field(first, end):
            return word >> first & (1 << end - first) - 1
        opcode, behind = field(0, 12), pc + 16
        guarded = self.predicate(field(12, 15), field(15, 16), mask)
        also = self.predicate(field(87, 90), field(90, 91), guarded)
        if opcode == 0x945:  # BSSY
            self.recorded[field(16, 20)] = mask
        elif opcode == 0x942:  # BREAK
            self.recorded[field(16, 20)] &= ~also
        elif opcode in (0x941, 0x948):  # BSYNC, WARPSYNC.ALL
            barrier = field(16, 20) if opcode == 0x941 else 16
            passing = mask & ~self.recorded[barrier]
            if passing:
                self.ready.append((behind, passing, True))
            if mask & ~passing:
                self.waiting.append((barrier, behind, mask & ~passing))
            return behind, 0
        elif opcode == 0x947:  # BRA
            target = behind + 4 * signed(field(34, 82) << 8 | field(16, 24), 56)
            if also == mask:
                return target, mask
            others = mask & ~also
            if not also or target == behind:
                return behind, mask
            if also.bit_count() < others.bit_count():
                self.ready.append((behind, others, False))
                return target, also
            self.ready.append((target, also, False))
            return behind, others
        elif opcode == 0x94d:  # EXIT
            self.living &= ~also
            return behind, mask & ~also
        elif opcode in (0x388, 0x988):  # STS
            if guarded:
                self.executed[field(40, 64) // 4] += 1
        elif opcode == 0x981:  # LDG
            for lane in lanes_of(guarded):
                self.registers[field(16, 24)][lane] = self.choose(field(40, 64) // 4, lane)
        elif opcode == 0x20c and field(32, 40) == 255:  # ISETP with 0
            self.compare(field, guarded, also)
        elif opcode == 0x81c:  # PLOP3
            self.combine(field, guarded, also)
        elif opcode not in (0x224, 0x825, 0x918, 0x919, 0x946, 0xab9, 0xb82):  # addresses, NOP, YIELD
            raise ValueError(f'opcode {opcode:x} at {pc:x}')
        return behind, mask

    def compare(self, field, guarded, also):
        operator, combine = field(76, 79), field(74, 76)
        if operator not in (2, 5) or combine != 0:
            raise ValueError('an unknown comparison')
        for bit, number, equal in ((81, field(81, 84), operator == 2), (84, field(84, 87), operator == 5)):
            value = 0
            for lane in lanes_of(guarded):
                value |= ((self.registers[field(24, 32)][lane] == 0) == equal) << lane
            self.set_predicate(number, value & also, guarded)

    def combine(self, field, guarded, also):
        sources = (also, self.predicate(field(77, 80), field(80, 81), guarded),
                   self.predicate(field(68, 71), field(71, 72), guarded))
        tables = (field(72, 77) << 3 | field(64, 67), field(16, 24))
        for number, table in zip((field(81, 84), field(84, 87)), tables):
            value = 0
            for lane in lanes_of(guarded):
                index = sum((source >> lane & 1) << 2 - i for i, source in enumerate(sources))
                value |= (table >> index & 1) << lane
            self.set_predicate(number, value, guarded)


def main():
    with open(sys.argv[1], 'rb') as file:
        code = dict(find_code(file.read()))
    kernels = alike = within = 0
    sums = [0, 0]
    with open(sys.argv[2], encoding='ascii') as file:
        for line in file:
            name, text, *predicted = line.rstrip('\n').split('|')
            graph = [[int(to) for to in block.split(',')] if block != '-' else [] for block in text.split()]
            fewest, placed, most = ([int(count) for count in counts.split()] for counts in predicted)
            warp = Warp(code[name], int(name[1:]), graph)
            warp.run()
            found = [warp.executed[i] / STORES for i in range(len(graph))]
            kernels += 1
            alike += found == placed
            within += sum(most) <= sum(found) <= sum(fewest)
            sums = [sums[0] + sum(found), sums[1] + sum(placed)]
            if found != placed:
                print(f'{name}: {text}')
    print(f'{kernels} kernels, {alike} alike, {within} within the range, {sums[0]:.0f} executed, {sums[1]} predicted')


main()

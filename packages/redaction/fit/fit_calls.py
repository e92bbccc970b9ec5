"""Fits the network of the tagger of calls on what fit-calls.ts writes to a folder, and writes its numbers there.

The same numbers come out on the same kind of processor: one thread, and nothing that depends on the order of threads.
"""

import json
import random
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

INPUTS = 10
PIECES = slice(1, 5)
PIECE_ROWS, CLASSES, SHAPES, SETS = 1 << 12, 98, 32, 9
VECTOR, WORD, PIECE, CLASS, SHAPE = 100, 48, 16, 12, 8
TOKEN = WORD + PIECE + CLASS + SHAPE + SETS + 2
UNITS, HIDDEN, LABELS = 64, 64, 32
UNLABELED = -1

EPOCHS = 11
BATCH = 48
RATE = 2e-3
WARM_UP = 200
DECAY = 0.01
DROPOUT = 0.3
# The probability that values of a call are replaced, and then that of each value.
CALL_REPLACEMENT = 0.8
VALUE_REPLACEMENT = 0.5
# How often a word is read by its vector and its parts alone, as one that was not fitted on is.
UNKNOWN = 0.15
# The numbers are a mean over the last thousand steps or so.
AVERAGE = 0.999


class Network(nn.Module):
    def __init__(self, vectors, fitted, labels):
        super().__init__()
        self.vectors = vectors
        self.fitted = fitted
        self.labels = labels
        self.word = nn.Embedding(fitted + 1, WORD, padding_idx=0)
        self.vector = nn.Linear(VECTOR, WORD)
        self.piece = nn.Embedding(PIECE_ROWS, PIECE)
        self.cls = nn.Embedding(CLASSES, CLASS)
        self.shape = nn.Embedding(SHAPES, SHAPE)
        self.layers = nn.LSTM(TOKEN, UNITS, num_layers=2, bidirectional=True, batch_first=True, dropout=DROPOUT)
        self.hidden = nn.Linear(2 * UNITS + TOKEN, HIDDEN)
        self.label = nn.Linear(HIDDEN, labels)
        self.drop = nn.Dropout(DROPOUT)
        nn.init.normal_(self.word.weight, std=0.1)
        nn.init.normal_(self.piece.weight, std=0.1)
        with torch.no_grad():
            self.word.weight[0] = 0

    def forward(self, tokens, lengths):
        words = tokens[..., 0]
        rows = words.masked_fill(words > self.fitted, 0)
        if self.training:
            rows = rows.masked_fill(torch.rand(rows.shape) < UNKNOWN, 0)
        sets = (tokens[..., 7:8] >> torch.arange(SETS)) & 1
        read = torch.cat(
            [
                self.word(rows) + self.vector(self.vectors[words]),
                self.piece(tokens[..., PIECES]).sum(-2),
                self.cls(tokens[..., 5]),
                self.shape(tokens[..., 6]),
                sets.float(),
                tokens[..., 8:10].float(),
            ],
            -1,
        )
        read = self.drop(read)
        packed = nn.utils.rnn.pack_padded_sequence(read, lengths, batch_first=True, enforce_sorted=False)
        out, _ = nn.utils.rnn.pad_packed_sequence(self.layers(packed)[0], batch_first=True)
        hidden = torch.relu(self.hidden(torch.cat([self.drop(out), read], -1)))
        return self.label(self.drop(hidden))

    def numbers(self):
        """All numbers in the order of CallModel.ts: matrices by input, each with the sums that are always added as its last one."""
        with torch.no_grad():
            words = self.vector(self.vectors)
            words[: self.fitted + 1] += self.word.weight
            parts = [words, self.piece.weight, self.cls.weight, self.shape.weight]
            for layer in range(2):
                named = lambda kind, way: getattr(self.layers, f"{kind}_l{layer}{way}")
                ways = ["", "_reverse"]
                inputs = torch.cat([named("weight_ih", way) for way in ways]).T
                sums = torch.cat([named("bias_ih", way) + named("bias_hh", way) for way in ways])
                parts += [inputs, sums, *(named("weight_hh", way).T for way in ways)]
            parts += [self.hidden.weight.T, self.hidden.bias]
            labels = torch.zeros(HIDDEN + 1, LABELS)
            labels[:HIDDEN, : self.labels] = self.label.weight.T
            labels[HIDDEN, : self.labels] = self.label.bias
            parts.append(labels)
            return torch.cat([part.reshape(-1) for part in parts])


# Columns of a token: whether its word occurs in the turn before, who speaks, and, after all inputs, its label.
SAID_BEFORE, SIDE, LABEL = 8, 9, INPUTS


def segments(call):
    """Splits a call into runs of tokens with the same label; negative labels count as none."""
    values = np.maximum(call[:, LABEL], 0)
    return np.split(call, np.flatnonzero(np.diff(values)) + 1)


class ValueReplacement:
    """Replaces values of calls by others of the same label, so that the network learns contexts rather than particular values."""

    def __init__(self, calls, rng):
        self.rng = rng
        self.by_label = {}
        for call in calls:
            for part in segments(call):
                if part[0, LABEL] > 0:
                    self.by_label.setdefault(part[0, LABEL], []).append(part)

    def replacement_for(self, part):
        """A value of the same label, or None to keep the part."""
        return self.rng.choice(self.by_label[part[0, LABEL]]) if self.rng.random() < VALUE_REPLACEMENT else None

    def with_replacements(self, call):
        """The call with some of its values replaced; equal values get the same replacement."""
        if self.rng.random() >= CALL_REPLACEMENT:
            return call
        chosen = {}
        parts = segments(call)
        for at, part in enumerate(parts):
            if part[0, LABEL] <= 0:
                continue
            said = (part[0, LABEL], part[:, PIECES].tobytes())
            if said not in chosen:
                chosen[said] = self.replacement_for(part)
            if chosen[said] is None:
                continue
            parts[at] = chosen[said].copy()
            parts[at][:, SIDE] = part[0, SIDE]
            parts[at][:, SAID_BEFORE] = part[:, SAID_BEFORE].max()
        return np.concatenate(parts)


def batches(calls, rng):
    """Calls of about the same length together, in a random order."""
    order = sorted(range(len(calls)), key=lambda at: len(calls[at]) + rng.random() * 8)
    groups = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    rng.shuffle(groups)
    for group in groups:
        lengths = [len(calls[at]) for at in group]
        tokens = np.zeros((len(group), max(lengths), INPUTS), np.int64)
        labels = np.full((len(group), max(lengths)), UNLABELED, np.int64)
        for row, at in enumerate(group):
            tokens[row, : lengths[row]] = calls[at][:, :INPUTS]
            labels[row, : lengths[row]] = calls[at][:, INPUTS]
        yield torch.from_numpy(tokens), torch.from_numpy(labels), torch.tensor(lengths)


def fit(network, calls, rng):
    average = [number.detach().clone() for number in network.parameters()]
    descent = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * -(-len(calls) // BATCH)
    step = 0
    replacement = ValueReplacement(calls, rng)
    network.train()
    for epoch in range(EPOCHS):
        total = 0.0
        for tokens, labels, lengths in batches([replacement.with_replacements(call) for call in calls], rng):
            for group in descent.param_groups:
                group["lr"] = RATE * min(1, step / WARM_UP) * max(0.02, 1 - step / steps)
            step += 1
            scores = network(tokens, lengths)
            loss = nn.functional.cross_entropy(
                scores.reshape(-1, network.labels), labels.reshape(-1), ignore_index=UNLABELED, reduction="sum"
            )
            descent.zero_grad(set_to_none=True)
            (loss / len(labels) / 10).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5)
            descent.step()
            total += loss.item()
            kept = min(AVERAGE, (1 + step) / (10 + step))
            with torch.no_grad():
                for mean, number in zip(average, network.parameters()):
                    mean.mul_(kept).add_(number, alpha=1 - kept)
        print(f"epoch {epoch + 1} of {EPOCHS}: {total / len(calls):.3f}", flush=True)
    with torch.no_grad():
        for mean, number in zip(average, network.parameters()):
            number.copy_(mean)


# The sizes that CallInput.ts and Network.ts have too.
SHARED = {
    "inputs": INPUTS,
    "pieces": PIECES.stop - PIECES.start,
    "pieceRows": PIECE_ROWS,
    "classes": CLASSES,
    "shapes": SHAPES,
    "sets": SETS,
    "hidden": HIDDEN,
    "mostLabels": LABELS,
}


def main():
    folder = Path(sys.argv[1])
    sizes = json.loads(sys.argv[2])
    if sizes["shared"] != SHARED:
        raise ValueError(f"fit-calls.ts has other sizes: {sizes['shared']}, not {SHARED}")
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(sizes["seed"])
    rng = random.Random(sizes["seed"])
    lengths = np.fromfile(folder / "lengths.i32", np.int32)
    tokens = np.fromfile(folder / "tokens.i32", np.int32).reshape(-1, INPUTS + 1)
    calls = np.split(tokens, np.cumsum(lengths)[:-1])
    vectors = torch.from_numpy(np.fromfile(folder / "vectors.f32", np.float32).reshape(-1, VECTOR))
    network = Network(vectors, sizes["fitted"], sizes["labels"])
    fit(network, calls, rng)
    network.numbers().numpy().astype(np.float32).tofile(folder / "numbers.f32")


if __name__ == "__main__":
    main()

"""Writes events.json: traces, and their peaks and prominences by scipy.signal.

usage: python make_events.py    (needs numpy and scipy)
"""

import json
import pathlib

import numpy as np
import scipy
from scipy.signal import find_peaks, peak_prominences

RANDOM = np.random.default_rng(7)


def transients(length, starts, noise):
    """Calcium transients: a rise of some samples, then an exponential decay."""
    trace = np.zeros(length)
    for start, height, rise, decay in starts:
        t = np.arange(length) - start
        trace += np.where(t > 0, height * (1 - np.exp(-t / rise)) * np.exp(-t / decay), 0)
    return trace + noise * RANDOM.normal(size=length)


def case(name, trace, **limits):
    trace = np.round(trace, 6)
    peaks, _ = find_peaks(trace, **limits)
    return {
        "name": name,
        "trace": trace.tolist(),
        "limits": limits,
        "peaks": peaks.tolist(),
        "prominence": peak_prominences(trace, peaks)[0].tolist(),
    }


wide = [(40, 1.2, 3, 12), (120, 0.7, 4, 15), (160, 0.9, 3, 10), (168, 0.6, 2, 20)]
made = {
    "by": f"scipy {scipy.__version__}",
    "cases": [
        case("clean transients", transients(240, wide, 0), height=0.2),
        case("noisy transients", transients(240, wide, 0.05), height=0.3, prominence=0.3),
        case("noise", RANDOM.normal(size=200), height=0.5, distance=7),
        case("plateaus", np.repeat(RANDOM.integers(0, 6, 60), RANDOM.integers(1, 5, 60)), height=2),
        case("equal heights", np.tile([0.0, 1, 0, 1, 0, 2, 0, 1], 6), height=1, distance=3),
    ],
}
pathlib.Path(__file__).with_name("events.json").write_text(json.dumps(made) + "\n")
print([(c["name"], len(c["peaks"])) for c in made["cases"]])

"""Writes velocities.json: windows with streaks, and their velocity by the Radon transform of scikit-image.

The direction whose projection has the greatest variance is that of the streaks (Drew et al. 2010). Within a circle all
projections are equally long. Lines (time) are rows; a streak x = v t, with x to the right and t downwards, has its
greatest variance at the angle whose tangent is v.

usage: python make_velocities.py    (needs numpy and scikit-image)
"""

import base64
import json
import pathlib

import numpy as np
import skimage
from skimage.transform import radon

SIZE = 65
RANDOM = np.random.default_rng(16)


def window(velocity, noise):
    """Dark cells at random distances that move by `velocity` pixels a line, as bytes."""
    low, high = -abs(velocity) * SIZE - 40, SIZE + abs(velocity) * SIZE + 40
    cells = np.cumsum(RANDOM.uniform(8, 24, 2000)) + low
    cells = cells[cells < high]
    place = np.arange(SIZE)[None, :] - velocity * np.arange(SIZE)[:, None]
    depth = np.exp(-((place[..., None] - cells) ** 2) / (2 * 2.0**2)).sum(axis=-1)
    picture = 180 - 80 * depth + noise * 25 * RANDOM.normal(size=depth.shape)
    return np.clip(np.rint(picture), 0, 255).astype(np.uint8)


def velocity_by_radon(picture):
    y, x = np.mgrid[:SIZE, :SIZE] - SIZE // 2
    inside = x**2 + y**2 <= (SIZE // 2) ** 2
    centred = np.where(inside, picture - picture[inside].mean(), 0.0)

    def best(angles):
        return angles[np.argmax(radon(centred, theta=angles, circle=True).var(axis=0))]

    coarse = best(np.arange(-89.0, 89.5, 0.5))
    return float(np.tan(np.radians(best(np.arange(coarse - 0.6, coarse + 0.6, 0.02)))))


cases = []
for velocity in [0.12, -0.2, 0.35, -0.6, 1.0, -1.7, 2.5, -4.0]:
    for noise in [0.3, 1.0]:
        picture = window(velocity, noise)
        cases.append({
            "velocity": velocity,
            "noise": noise,
            "radon": round(velocity_by_radon(picture), 5),
            "samples": base64.b64encode(picture.tobytes()).decode(),
        })
        print(velocity, noise, cases[-1]["radon"])
made = {"by": f"scikit-image {skimage.__version__}", "size": SIZE, "cases": cases}
pathlib.Path(__file__).with_suffix("").with_name("velocities.json").write_text(json.dumps(made, indent=1) + "\n")

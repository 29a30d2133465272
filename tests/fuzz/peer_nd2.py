#!/usr/bin/env python3
"""Reads ND2 files with nd2 (0.12.0), and their JPEG 2000 with imagecodecs; see peer.py."""
import nd2

from peer import answer


def read(path):
    with nd2.ND2File(path) as file:
        # The samples of an open file are those of its mapped memory.
        frame = file.read_frame(0).copy()
        rows, columns = file.attributes.heightPx, file.attributes.widthPx
        # Colours are behind the columns.
        if file.components_per_channel == 3: frame = frame.reshape(-1, *frame.shape[-3:]).transpose(0, 3, 1, 2)
        return [(None, plane) for plane in frame.reshape(-1, rows, columns)]


if __name__ == "__main__": answer(read)

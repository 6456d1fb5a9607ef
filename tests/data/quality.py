#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""quality.py > quality.json: feature sets, and their figures by numpy and scipy, which tests/unit/quality_test.cpp
compares core/quality with. The formulas are taken another way where there is one: scipy's general matrix root, k-d
trees, explicit sums over pairs."""
import json

import numpy
import scipy.linalg
import scipy.spatial
import scipy.stats


def frechet(a, b):
    root = scipy.linalg.sqrtm(numpy.cov(a.T) @ numpy.cov(b.T), disp=False)[0].real
    return float(numpy.sum((a.mean(0) - b.mean(0)) ** 2) + numpy.trace(numpy.cov(a.T) + numpy.cov(b.T) - 2 * root))


def frechet_by_eigenvalues(a, b):
    """For covariances that have no full rank, where scipy's root is not accurate."""
    values = scipy.linalg.eigvals(numpy.cov(a.T) @ numpy.cov(b.T)).real.clip(0)
    return float(numpy.sum((a.mean(0) - b.mean(0)) ** 2) + numpy.trace(numpy.cov(a.T)) + numpy.trace(numpy.cov(b.T)) -
                 2 * numpy.sum(numpy.sqrt(values)))


def kernel(a, b):
    def value(x, y):
        return (float(numpy.dot(x, y)) / len(x) + 1) ** 3

    def within(s):
        return numpy.mean([value(x, y) for i, x in enumerate(s) for j, y in enumerate(s) if i != j])

    return float(within(a) + within(b) - 2 * numpy.mean([value(x, y) for x in a for y in b]))


def share_within(manifold, samples, neighbours):
    reach = scipy.spatial.cKDTree(manifold).query(manifold, k=neighbours + 1)[0][:, neighbours]
    return float(numpy.mean((scipy.spatial.distance.cdist(samples, manifold) <= reach).any(axis=1)))


def case(name, a, b, distance=frechet):
    a, b = a.round(6), b.round(6)
    return {"name": name, "width": a.shape[1], "a": a.flatten().tolist(), "b": b.flatten().tolist(),
            "frechet_distance": distance(a, b), "kernel_distance": kernel(a, b),
            "precision": {str(k): share_within(a, b, k) for k in (1, 3, 5)},
            "recall": {str(k): share_within(b, a, k) for k in (1, 3, 5)}}


def classes(random):
    seen, expected = random.integers(0, 4, 200) % 3, random.integers(0, 5, 200)
    counts = numpy.bincount(seen, minlength=6)
    return {"seen": seen.tolist(), "expected": expected.tolist(), "classes": 6,
            "accuracy": float(numpy.mean(seen == expected)),
            "accuracy_of": [float(numpy.mean(seen[expected == c] == c)) for c in range(5)],
            "balance": float(scipy.stats.entropy(counts) / numpy.log(6))}


def main():
    random = numpy.random.default_rng(547)
    mix = random.normal(size=(6, 6))
    near = random.normal(size=(60, 6)) @ mix
    far = random.normal(size=(45, 6)) * 0.7 + 1.5
    rectified, other = random.normal(size=(50, 8)).clip(0), (random.normal(size=(50, 8)) + 0.3).clip(0)
    rectified[:, 3] = other[:, 3] = 0  # a feature that never shows
    print(json.dumps({"figures": [case("apart", near, far), case("alike", near, random.normal(size=(60, 6)) @ mix),
                                  case("singular", rectified, other, frechet_by_eigenvalues)],
                      "classes": classes(random)}))


main()

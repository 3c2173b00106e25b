/** Angles: conversion, and the same direction within a turn. */

import { describe, expect, it } from 'vitest'
import { toDegrees, toRadians, wrapAngle } from '#grid/angles.ts'

describe('wrapAngle()', () => {
  it.each([
    [0, 0],
    [180, 180],
    [-180, 180],
    [181, -179],
    [-725, -5],
  ])('wraps %s degrees to %s', (angle, expected) => {
    expect(wrapAngle(angle, 360)).toBe(expected)
    expect(toDegrees(wrapAngle(toRadians(angle + 1)))).toBeCloseTo(wrapAngle(angle + 1, 360), 9)
  })
})

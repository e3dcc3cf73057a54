/** A place on the axis, in pixels. */
export type Placed = { readonly x: number; readonly width: number }

const gap = 2

/**
 * Moves overlapping items apart so that each can be clicked. Keeps their order and, if there is room, keeps them within
 * the axis.
 */
export const spread = (placed: readonly Placed[], axis: number): number[] => {
  let end = -gap
  const xs = placed.map(({ x, width }) => {
    const at = Math.max(x, end + gap)
    end = at + width
    return at
  })
  let limit = axis
  for (const [index, { width }] of [...placed.entries()].toReversed()) {
    xs[index] = Math.max(0, Math.min(xs[index] ?? 0, limit - width))
    limit = (xs[index] ?? 0) - gap
  }
  return xs
}

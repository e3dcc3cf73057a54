const maxAttempts = 60

/**
 * Shortens a failing sequence while it still fails: tries the last step alone, then with one other step, and then
 * omits one step after another.
 *
 * @param fails - plays a sequence and resolves to whether it fails.
 */
export const shrink = async <Step>(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
): Promise<readonly Step[]> => {
  const last = steps.slice(-1)
  const others = steps.slice(0, -1)
  for (const candidate of [last, ...others.map((step) => [step, ...last])]) {
    if (await fails(candidate)) return candidate
  }
  let shortest = steps
  let attempts = 0
  for (let index = 0; index < shortest.length - 1 && attempts < maxAttempts; attempts += 1) {
    const candidate = shortest.filter((_, each) => each !== index)
    if (await fails(candidate)) shortest = candidate
    else index += 1
  }
  return shortest
}

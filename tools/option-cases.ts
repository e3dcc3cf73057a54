import { expect, test } from 'vitest'

/** The observable effect of one option. */
export type OptionCase<Options> = {
  /**
   * Uses these options, and returns what users see, or a function that is polled for it. Whether the option has its
   * default or another value, nothing else differs.
   */
  readonly see: (options: Partial<Options>) => unknown
  /** The expected observations: with the default, and with at least one other value. */
  readonly cases: readonly [
    byDefault: readonly [Partial<Options>, unknown],
    ...changed: (readonly [Partial<Options>, unknown])[],
  ]
}

/** The cases of all options. A new option without a case does not compile. */
export type OptionCases<Options> = { readonly [Name in keyof Required<Options>]: OptionCase<Options> }

/**
 * Registers the cases of all options of a function. An option that reaches the wrong place is no error in any part of
 * the product, so every option is seen from outside, with its default and changed.
 */
export const testOptions = <Options>(subject: string, table: OptionCases<Options>): void => {
  const entries = Object.entries<OptionCase<Options>>(table)
  const cases = entries.flatMap(([name, { see, cases }]) =>
    cases.map(([given, seen]) => [name, given, seen, see] as const),
  )

  test.each(cases)(`${subject}, %s: %o shows %j`, async (_, given, seen, see) => {
    const shown = await see(given)
    await expect.poll(() => (typeof shown === 'function' ? shown() : shown)).toEqual(seen)
  })

  test(`every option of ${subject} is shown with its default first, and then changed`, () => {
    for (const [name, { cases }] of entries) {
      const isChanged = cases.map(([given]) => name in Object(given))
      expect([name, isChanged[0], isChanged.includes(true)]).toEqual([name, false, true])
    }
  })
}

/** How the options of a function overlap. */
export type Overlaps<Options> = {
  /** The other options without which an option is an error. */
  readonly needs?: { readonly [Name in keyof Options]?: Partial<Options> }
  /** What an option shows next to another one, where it is not what it shows alone: an observation, or an error. */
  readonly shows: { readonly [Name in keyof Options]?: { readonly [Other in keyof Options]?: unknown } }
}

/**
 * Registers each pair of the options of a function. Next to every other option, an option shows what it shows alone, or
 * what the overlaps state.
 */
export const testPairs = <Options>(
  subject: string,
  table: OptionCases<Options>,
  { needs = {}, shows }: Overlaps<Options>,
): void => {
  const entries = Object.entries<OptionCase<Options>>(table) as [keyof Options, OptionCase<Options>][]
  const pairs = entries.flatMap(([name, { see, cases }]) =>
    entries.flatMap(([other, { cases: others }]) => {
      const [given, seen] = cases[1] ?? cases[0]
      const [beside] = others[1] ?? others[0]
      const stated: { readonly [Other in keyof Options]?: unknown } = shows[name] ?? {}
      const expected = other in stated ? stated[other] : seen
      // Spread within the test, because some options are created when they are read.
      const merge = () => ({ ...needs[other], ...beside, ...given })
      return name === other ? [] : [{ name, other, see: () => see(merge()), expected }]
    }),
  )

  test.each(pairs)(`${subject}, $name next to $other`, async ({ see, expected }) => {
    if (expected instanceof RegExp) return expect(async () => see()).rejects.toThrow(expected)
    const shown = await see()
    if (typeof shown === 'function') await expect.poll(() => shown()).toEqual(expected)
    else expect(shown).toEqual(expected)
  })
}

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

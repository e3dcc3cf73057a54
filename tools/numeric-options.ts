import { expect, test } from 'vitest'

type Whole =
  | string
  | number
  | boolean
  | bigint
  | symbol
  | readonly unknown[]
  | ArrayBuffer
  | ArrayBufferView
  | URL
  | RegExp
  | Blob
  | Date
  | AbortSignal
  | Headers
  | Request
  | { addListener(...values: never[]): unknown }
  | ((...values: never[]) => unknown)

/** The paths of the numbers in an object of options, such as `timeoutMs` and `retry.limit`. */
type Numbers<
  Options,
  Prefix extends string = '',
  Depth extends readonly unknown[] = [],
> = Options extends Whole
  ? never
  : Options extends object
    ? {
        [Name in keyof Options & string]-?: [NonNullable<Options[Name]>] extends [never]
          ? never
          : NonNullable<Options[Name]> extends number
            ? `${Prefix}${Name}`
            : Depth['length'] extends 3
              ? never
              : Numbers<NonNullable<Options[Name]>, `${Prefix}${Name}.`, [...Depth, 1]>
      }[keyof Options & string]
    : never

type NumbersOf<Value> = Value extends (...given: infer Given) => unknown ? Numbers<Given[number]> : never

/**
 * The uses of every option that is a number, by function and path. `Other` has the paths of numbers that are not
 * options. A new option without a use does not compile.
 */
export type NumericOptions<Functions, Other extends string = never> = {
  readonly [Name in keyof Functions as [Exclude<NumbersOf<Functions[Name]>, Other>] extends [never]
    ? never
    : Name]-?: {
    readonly [Path in Exclude<NumbersOf<Functions[Name]>, Other>]: (value: number) => unknown
  }
}

/** The same for the functions of each part of an object, such as `server.calls`. A part without its uses does not compile. */
export type NumericOptionsOfParts<Parts, Other extends string = never> = {
  readonly [Part in keyof Parts as keyof NumericOptions<Parts[Part], Other> extends never
    ? never
    : Part]-?: NumericOptions<Parts[Part], Other>
}

/** What an unset or misread environment variable, and JavaScript without types, make of a number. */
const mistakes: readonly unknown[] = [Number.NaN, null, -5, 'x', '5', {}]

/** Expects that every numeric option of these functions is checked when it is given. */
export const testNumericOptions = (
  subject: string,
  table: Readonly<Record<string, Readonly<Record<string, (value: number) => unknown>>>>,
): void => {
  const cases = Object.entries(table).flatMap(([name, uses]) =>
    Object.entries(uses).map(([path, use]) => [`${subject}.${name}`, path, use] as const),
  )
  test.each(cases)('%s rejects a bad %s, by name', async (_, path, use) => {
    const name = path.split('.').at(-1)
    for (const mistake of mistakes) {
      const run = async () => use(mistake as number)
      await expect(run(), `${path}: ${String(mistake)}`).rejects.toThrow(new RegExp(`\\b${name}\\b`))
    }
  })
}

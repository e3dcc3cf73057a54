import { CliError, exitCodes } from './cli-error.ts'

const forbidden = ['__proto__', 'prototype', 'constructor']

const parseValue = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/**
 * Puts `path=value` assignments into a copy of an object: `summary.recap=Hello`, `durationInSeconds=42`. A value that
 * is JSON is taken as such, any other as text; parts of a path that are missing become objects.
 *
 * @throws CliError when an assignment is none.
 */
export const assign = (
  target: Record<string, unknown>,
  assignments: readonly string[],
): Record<string, unknown> => {
  const result = structuredClone(target)
  for (const assignment of assignments) {
    const [, path, text] = /^([^=]+)=(.*)$/s.exec(assignment) ?? []
    const names = path?.split('.') ?? []
    const last = names.pop()
    if (
      text === undefined ||
      !last ||
      [...names, last].some((name) => name === '' || forbidden.includes(name))
    ) {
      throw new CliError(
        `--set takes path=value, such as summary.recap=Hello, not ${JSON.stringify(assignment)}.`,
        exitCodes.usage,
      )
    }
    let parent = result
    for (const name of names) {
      const child = parent[name]
      const next: Record<string, unknown> = isObject(child) ? child : {}
      parent[name] = next
      parent = next
    }
    parent[last] = parseValue(text)
  }
  return result
}

import { CliError, exitCodes } from './output.ts'

const forbidden = ['', '__proto__', 'prototype', 'constructor']

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
 * Copies an object and applies `path=value` assignments such as `summary.recap=Hello` or `durationInSeconds=42`. A
 * value that is valid JSON is parsed; any other value is a string. Objects that a path needs are created, and replace a
 * text, a number or `null` in their place.
 */
export const assign = (target: object, assignments: readonly string[]): Record<string, unknown> => {
  const result: Record<string, unknown> = structuredClone({ ...target })
  for (const assignment of assignments) {
    const [, path = '', text = ''] = /^([^=]+)=(.*)$/s.exec(assignment) ?? []
    const names = path.split('.')
    if (names.some((name) => forbidden.includes(name))) {
      const message = `--set takes path=value, such as summary.recap=Hello, not ${JSON.stringify(assignment)}.`
      throw new CliError(message, exitCodes.usage)
    }
    const last = names.pop() ?? ''
    let parent = result
    for (const name of names) {
      const child = parent[name]
      const next = isObject(child) ? child : {}
      parent[name] = next
      parent = next
    }
    parent[last] = parseValue(text)
  }
  return result
}

import { CliError, exitCodes } from './output.ts'

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

const parseAssignment = (assignment: string): { names: string[]; last: string; text: string } => {
  const [, path = '', text] = /^([^=]+)=(.*)$/s.exec(assignment) ?? []
  const names = path.split('.')
  const isValid = names.every((name) => name !== '' && !forbidden.includes(name))
  const last = names.pop()
  if (text !== undefined && last !== undefined && isValid) return { names, last, text }
  throw new CliError(
    `--set takes path=value, such as summary.recap=Hello, not ${JSON.stringify(assignment)}.`,
    exitCodes.usage,
  )
}

/**
 * Copies an object and applies `path=value` assignments such as `summary.recap=Hello` or `durationInSeconds=42`. A
 * value that is valid JSON is parsed; any other value is a string. Missing objects in a path are created.
 *
 * @throws CliError when an assignment is not valid.
 */
export const assign = (
  target: Record<string, unknown>,
  assignments: readonly string[],
): Record<string, unknown> => {
  const result = structuredClone(target)
  for (const assignment of assignments) {
    const { names, last, text } = parseAssignment(assignment)
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

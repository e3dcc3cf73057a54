import { MeasuredProfile } from '@wabakit/contract/profile'
import { MockUsageError } from '../errors.ts'
import { parseInput } from '../input.ts'

const readFile = (path: string): unknown => {
  // In a browser, there is no file to read.
  const files = globalThis.process?.getBuiltinModule?.('node:fs')
  if (files === undefined)
    throw new MockUsageError('createMock: profile cannot be a path in this runtime. Pass the parsed file.')
  try {
    return JSON.parse(files.readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause
    throw new MockUsageError(`createMock: the profile ${path} cannot be read: ${reason}`, { cause })
  }
}

/**
 * Reads a measured profile: a path, or the parsed file.
 *
 * @throws MockUsageError if it cannot be read, or is not a profile.
 */
export const loadProfile = (profile: string | object): MeasuredProfile => {
  const content = typeof profile === 'string' ? readFile(profile) : profile
  const { $schema: _, ...fields } = { $schema: undefined, ...Object(content) }
  return parseInput('createMock: profile', MeasuredProfile, fields)
}

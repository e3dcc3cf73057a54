import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { toIssues } from '@wabakit/contract'
import { createEmptyProfile, MeasuredProfile } from '@wabakit/contract/profile'
import { formatIssue } from '@wabakit/core/hosting'
import { withoutBom } from '../../config/load-config.ts'
import { CliError, exitCodes } from '../output.ts'

export const usualProfile = 'wabakit.profile.json'

/** Parses `--profile`. The variable `WABAKIT_PROFILE` may also name a profile that is not a file. */
export const parseProfileFile = (text: string): string | undefined =>
  text === 'reference' || text === 'live' ? undefined : text

const fail = (file: string, reason: string, cause?: unknown): never => {
  throw new CliError(`The profile ${file} ${reason}`, exitCodes.usage, { cause })
}

/**
 * Reads a measured profile.
 *
 * @throws CliError if it cannot be read, or is not a profile.
 */
export const readProfile = (file: string): MeasuredProfile => {
  let content: unknown
  try {
    content = JSON.parse(withoutBom(readFileSync(file, 'utf8')))
  } catch (error) {
    return fail(file, `cannot be read: ${error instanceof Error ? error.message : error}`, error)
  }
  const { $schema: _, ...fields } = { $schema: undefined, ...Object(content) }
  const parsed = MeasuredProfile.safeParse(fields)
  if (parsed.success) return parsed.data
  return fail(file, `is not valid: ${toIssues(parsed.error).map(formatIssue).join('; ')}`)
}

/** Reads the profile that is about to be extended: an empty one, if there is no file. */
export const openProfile = (file: string): MeasuredProfile =>
  existsSync(file) ? readProfile(file) : createEmptyProfile()

/** Replaces the file, so that a process that ends meanwhile leaves a complete one. */
export const writeProfile = (file: string, profile: MeasuredProfile): void => {
  const draft = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(draft, `${JSON.stringify(profile, undefined, 2)}\n`)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    fail(file, `cannot be written: ${error instanceof Error ? error.message : error}`, error)
  }
}

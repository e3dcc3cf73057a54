import { readNpm } from './npm.ts'

type Result = {
  readonly invalid?: readonly unknown[]
  readonly missing?: readonly unknown[]
  readonly error?: { readonly code?: string; readonly summary?: string }
}

/**
 * Verifies that the registry has signed everything that is installed, and returns a sentence about it.
 *
 * @throws Error if a signature is invalid or missing. If they cannot be verified, because there is no network, only if
 *   `isRequired`.
 */
export const auditSignatures = async (root: string, isRequired: boolean): Promise<string> => {
  // Does not wait for a registry that cannot be reached.
  const result = (await readNpm(['audit', 'signatures', '--fetch-retries=0'], root)) as Result
  const { invalid = [], missing = [], error } = result
  if (invalid.length + missing.length > 0)
    throw new Error(
      `Dependencies lack a valid signature: ${JSON.stringify({ invalid, missing }, undefined, 2)}`,
    )
  if (!error) return 'The registry has signed every dependency.'
  const reason = `The signatures of the dependencies could not be verified (${error.code ?? error.summary}).`
  if (isRequired) throw new Error(`${reason} Check the network, and start again.`)
  return `${reason} Publishing requires it.`
}

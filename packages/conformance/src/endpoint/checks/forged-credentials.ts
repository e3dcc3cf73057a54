import { type ForgedCheck, type Forgery, refuse } from './forgery.ts'

const withCredentials = (change: (value: string) => string | undefined): Forgery => {
  return ({ headers }, { credentials }) => {
    const changed: Record<string, string> = { ...headers }
    for (const [name, value] of Object.entries(credentials)) {
      const forged = change(value)
      if (forged === undefined) delete changed[name]
      else changed[name] = forged
    }
    return { headers: changed }
  }
}

const keepScheme = (value: string, change: (credential: string) => string): string => {
  const [, name = '', credential = ''] = /^((?:basic|bearer)\s+)?(.*)$/i.exec(value) ?? []
  return name + change(credential)
}

const credentialFix = 'Compare the whole header with the expected value, in constant time.'

/** Checks for endpoints that authenticate the sender by a header. */
export const credentialChecks: readonly ForgedCheck[] = [
  {
    id: 'refuses-missing-credentials',
    title: 'Refuses a delivery without credentials',
    risk: 'A stranger who knows the URL can write into your system.',
    fix: 'Refuse with 401 unless the header is present and correct.',
    ...refuse({
      'no credentials': withCredentials(() => undefined),
      'an empty header': withCredentials(() => ''),
    }),
  },
  {
    id: 'refuses-wrong-credentials',
    title: 'Refuses wrong credentials',
    risk: 'A stranger can invent credentials and write into your system.',
    fix: credentialFix,
    ...refuse({
      'other credentials': withCredentials((value) =>
        keepScheme(value, (credential) => Buffer.from(`x:${credential.length}`).toString('base64')),
      ),
    }),
  },
  {
    id: 'refuses-partial-credentials',
    title: 'Refuses partial credentials',
    risk: 'Comparing prefixes lets an attacker guess the credentials character by character.',
    fix: credentialFix,
    ...refuse({
      'the beginning of them': withCredentials((value) =>
        keepScheme(value, (credential) => credential.slice(0, Math.floor(credential.length / 2))),
      ),
      'more than them': withCredentials((value) => keepScheme(value, (credential) => `${credential}AAAA`)),
    }),
  },
]

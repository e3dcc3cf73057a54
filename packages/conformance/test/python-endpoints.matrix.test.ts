import { expect, test } from 'vitest'
import { listFindings } from './examine.ts'
import { describePython, examinePython, testCorrectPython, testPythonFlaws } from './python-endpoint.ts'

/** Mistakes that an endpoint in TypeScript makes, too (flawed-*.long.test.ts), and the checks that detect them. */
const flaws: Readonly<Record<string, string>> = {
  'any version': 'refuses-other-version',
  'body alone': 'refuses-partial-signature',
  case: 'refuses-changed-case',
  conflict: 'acknowledges-duplicate',
  'empty secret': 'refuses-empty-secret',
  'extra fields': 'accepts-extra-fields',
  'first signature': 'accepts-multiple-signatures',
  'future only': 'refuses-stale-timestamp',
  get: 'refuses-get',
  'id and time': 'handles-duplicate-once',
  'insists late': 'survives-missing-predecessor',
  'known signatures': 'refuses-captured-delivery',
  'late ended deletes': 'keeps-summary-after-late-event',
  'look up first': 'handles-concurrent-duplicates-once',
  'no dedupe': 'handles-duplicate-once',
  'parsed body': 'refuses-signature-of-parsed-body',
  'past only': 'refuses-future-timestamp',
  prefix: 'refuses-truncated-signature',
  'prints signature': 'keeps-secrets-out-of-answers',
  redirects: 'does-not-redirect',
  'second request': 'survives-concurrent-deliveries',
  'secret in query': 'refuses-secret-in-query',
  'seven minutes': 'refuses-stale-timestamp',
  'status row': 'keeps-summary-after-late-event',
  'ten minutes': 'refuses-stale-timestamp',
  'unknown event': 'accepts-unknown-event',
}

/** Weaknesses that the specification allows, which result in advice. */
const advised: Readonly<Record<string, string>> = {
  'loose timestamp': 'refuses-malformed-timestamp',
  'parsed timestamp': 'refuses-rewritten-timestamp',
}

describePython('an endpoint in Python', () => {
  // Takes three minutes, most of them waiting for effects that must not appear. doctor.test.ts has late effects, too.
  testCorrectPython(['slow effects'])

  testPythonFlaws(flaws)

  test.each(Object.entries(advised))('with the weakness "%s" gets advice from %s', async (flaw, id) => {
    const report = await examinePython(flaw)
    expect(listFindings(report).advice).toContain(id)
    expect(listFindings(report).fail).toEqual([])
  })
})

import { describePython, testCorrectPython, testPythonFlaws } from './python-endpoint.ts'

/** A mistake of each kind, above all where the language or its server matters, and the checks that detect them. */
const flaws: Readonly<Record<string, string>> = {
  charset: 'accepts-json-with-charset',
  'handles first': 'handles-nothing-it-refuses',
  'hundred ids': 'handles-late-duplicate-once',
  'last header': 'refuses-duplicate-headers',
  'loses some': 'handles-what-it-accepts',
  'lower-case names': 'refuses-forgery-in-any-header-case',
  'no clock': 'refuses-stale-timestamp',
  'no limit': 'refuses-oversized-body',
  'one thread': 'survives-slow-body',
  'slow effects twice': 'handles-duplicate-once',
  traceback: 'keeps-stacks-out-of-answers',
}

describePython('an endpoint in Python', () => {
  testCorrectPython(['', 'keep-alive', 'no content', 'acknowledges all'])

  testPythonFlaws(flaws)
})

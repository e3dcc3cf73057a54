import { formatFigure, formatLimit, formatRate, formatTime, type Goal, isMet, type Result } from './result.ts'

const formatTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

const formatGoal = (goal: Goal): string[] => [
  `${goal.id}: ${goal.what}`,
  formatLimit(goal),
  `${formatFigure(goal.result)}${isMet(goal) ? '' : ' (**not met**)'}`,
]

const formatGoals = (results: readonly Result[]): string => {
  const goals = results.flatMap(({ goals = [] }) => goals)
  const sorted = goals.sort((left, right) => left.id.localeCompare(right.id))
  return formatTable(['Goal', 'Limit', 'Result'], sorted.map(formatGoal))
}

const formatResult = (result: Result): string => {
  const { name, title, about, unit, rows = [], figures = [], machine, version, date } = result
  const format = unit === 'time' ? formatTime : formatRate
  const head = ['', unit === 'time' ? 'Time, CPU time' : 'Rate, CPU time each', 'Of the floor']
  const measured = rows.map((row) => [
    row.name,
    `${format(row.time)}${row.cpu === null ? '' : `, ${formatTime(row.cpu)}`}`,
    row.ofFloor === null ? '' : formatFigure(row.ofFloor),
  ])
  const others = figures.map(({ name, figure }) => [name, figure])
  return [
    `## ${title}`,
    about,
    ...(rows.length > 0 ? [formatTable(head, measured)] : []),
    ...(figures.length > 0 ? [formatTable(['', 'Result'], others)] : []),
    `\`npm run bench -- ${name}\`, ${date}, version ${version}, ${machine}`,
  ].join('\n\n')
}

const getGoal = ({ goals = [], name }: Result): string => `${goals[0]?.id ?? 'none'} ${name}`

const sortByGoal = (found: ReadonlyMap<string, Result>): Result[] =>
  [...found.values()].sort((left, right) => (getGoal(left) < getGoal(right) ? -1 : 1))

/** Formats the performance page, which is for users. */
export const formatPage = (found: ReadonlyMap<string, Result>): string =>
  `${[
    '# Performance',
    '<!-- Written by `npm run bench` from tools/bench/results. -->',
    `These benchmarks compare wabakit with its alternatives: the real packages, used as their documentation shows. Each
benchmark measures its contenders in interleaved rounds and reports medians. One contender is the floor: hand-written code
that does only the necessary work. Compare the ratios rather than the microseconds: "of the floor" is the throughput of a
contender divided by that of its floor. To repeat a benchmark, clone the repository and run the command below its table.`,
    ...sortByGoal(found).map(formatResult),
  ].join('\n\n')}\n`

/** Why a goal is missed, if it is. Experiments on most of them are in docs/internals/tried.md. */
const reasons: Readonly<Record<string, string>> = {
  P1: 'Validation takes what is left between the floor and the goal. The difference to the goal is smaller than the spread of a run.',
  P2: 'The receiver validates, checks the age and the id, and reports; the bare handler only verifies and parses. The difference is smaller than the spread.',
  P3: 'ky, without any of our code, takes 1.27 to 1.34 times `fetch`. The difference to plain ky is smaller than the spread of a run.',
  P4: 'Each request is authenticated, logged with its bodies and counted, and publishes an event; the floor adds to a map. The group, its event and the log keep 1.2 kB, and collecting garbage takes about 10 µs. Eight runs on one machine gave 0.603 to 0.751 in memory, with a median of 0.63; seven gave 0.774 to 1.13 on SQLite, with a median of 0.83.',
  P5: 'Attempts are recorded one by one and in the order of each call, which the peers do not keep. On SQLite, commits take 57%.',
  P6: 'On SQLite, a settlement of 1,000,000 pending writes a page of two indexes for each subscription.',
  P7: 'In the receiver, a token in the URL and several ways to authenticate are worth their 0.4 kB. In the client, secrets are found in every notation, as on the server, which is worth its 0.6 kB.',
  P8: 'Loading modules, zod above all, takes most of it: an empty program takes 45 ms on this machine.',
  P11: 'A claim keeps the order of each call and recognizes duplicates. It is planned each time, because poolers refuse prepared statements.',
}

const formatReasons = (results: readonly Result[]): string => {
  const missed = results.flatMap(({ goals = [] }) => goals.filter((goal) => !isMet(goal)))
  const ids = [...new Set(missed.map(({ id }) => id))].sort()
  return ids.map((id) => `- ${id}: ${reasons[id] ?? 'Not examined.'}`).join('\n')
}

/** Formats the page about the goals, which is for maintainers. */
export const formatGoalsPage = (found: ReadonlyMap<string, Result>): string =>
  `${[
    '# Goals',
    '<!-- Written by `npm run bench` from tools/bench/results. -->',
    formatGoals(sortByGoal(found)),
    '## Why goals are missed',
    formatReasons(sortByGoal(found)),
    `\`npm run bench\` runs the benchmarks of all goals, \`npm run bench -- P5\` runs the benchmarks of one goal, and
\`npm run bench -- <name>\` runs one benchmark. \`npm run bench -- --compare <git ref>\` runs two versions alternately, and
exits with 1 if a row became slower beyond its spread. With \`--counts\`, it compares instructions (counted by perf, if the
machine permits it), allocated bytes and bundled bytes, which hardly depend on the load of the machine. It exits with 1 if
one of them grew beyond its tolerance.`,
  ].join('\n\n')}\n`

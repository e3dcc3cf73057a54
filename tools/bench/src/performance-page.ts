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

/** Formats the page about the goals, which is for maintainers. */
export const formatGoalsPage = (found: ReadonlyMap<string, Result>): string =>
  `${[
    '# Goals',
    '<!-- Written by `npm run bench` from tools/bench/results. -->',
    formatGoals(sortByGoal(found)),
    `\`npm run bench\` runs the benchmarks of all goals, \`npm run bench -- P5\` runs the benchmarks of one goal, and
\`npm run bench -- <name>\` runs one benchmark. \`npm run bench -- --compare <git ref>\` runs two versions alternately, and
exits with 1 if a row became slower beyond its spread. With \`--counts\`, it compares instructions (counted by perf, if the
machine permits it), allocated bytes and bundled bytes, which hardly depend on the load of the machine. It exits with 1 if
one of them grew beyond its tolerance.`,
  ].join('\n\n')}\n`

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

/** Formats the performance page for users from benchmark results. */
export const formatPage = (found: ReadonlyMap<string, Result>): string =>
  `${[
    '# Performance',
    '<!-- Written by `npm run bench` from packages/bench/results. -->',
    `How fast wabakit is next to what you would use instead: the real packages, used as their documentation shows. Every
benchmark measures all its contenders in interleaved rounds of one run and reports medians. One contender is the floor:
hand-written code that does only what the job cannot do without. Compare the ratios, not the microseconds: "of the floor"
is the throughput of a contender divided by that of its floor. To repeat a benchmark, clone the repository and run the
command below its table.`,
    ...sortByGoal(found).map(formatResult),
  ].join('\n\n')}\n`

/** Formats the page about the project's goals for its maintainers. */
export const formatGoalsPage = (found: ReadonlyMap<string, Result>): string =>
  `${[
    '# Goals',
    '<!-- Written by `npm run bench` from packages/bench/results. -->',
    formatGoals(sortByGoal(found)),
    `\`npm run bench\` runs the benchmarks of all goals, \`npm run bench -- P5\` those of one, and
\`npm run bench -- <name>\` one of them. \`npm run bench -- --compare <git ref>\` alternately runs two versions and exits with 1
if one of the lines became slower beyond its spread. With \`--counts\`, it counts instructions (with perf, if the
machine allows it), allocated bytes and bundled bytes instead, which hardly depend on what else the machine does, and exits
with 1 if one grew by more than 1 to 5 %.`,
  ].join('\n\n')}\n`

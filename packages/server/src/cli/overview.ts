import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import type { Overview, Page, SubscriptionOverview } from '../control-types.ts'
import { createOrganizationClient } from './control-client.ts'
import { addExamples, addServerOptions, createOption, type ServerOptions } from './options.ts'
import { createOutput, type Output } from './output.ts'
import { formatUrl, formatValue, getWidth } from './table.ts'

type OverviewOptions = ServerOptions & { readonly window: Overview['window'] }
type Figures = Pick<Overview, 'totals' | 'latency' | 'backlog'> | SubscriptionOverview

const ages = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'm', ms: 60_000 },
  { unit: 's', ms: 1_000 },
] as const

/** Formats the time since a moment in its largest unit: `5m`. */
const formatAge = (since: string | null): string => {
  if (since === null) return '-'
  const elapsed = Math.max(0, Date.now() - Date.parse(since))
  const { unit, ms } = ages.find((each) => elapsed >= each.ms) ?? { unit: 's', ms: 1_000 }
  return `${Math.floor(elapsed / ms)}${unit}`
}

/** Formats a rate. A rate below 1 is never rounded to 100 %, because that would hide failures. */
const formatRate = (rate: number | null): string =>
  rate === null ? '-' : `${(Math.floor(rate * 1_000) / 10).toFixed(1)} %`

const formatLatency = (ms: number | null): string => (ms === null ? '-' : `${ms} ms`)

const getCells = ({ totals, latency, backlog }: Figures): string[] => [
  formatRate(totals.successRate),
  String(totals.delivered),
  String(totals.failed),
  formatLatency(latency.p95Ms),
  formatValue(backlog.unfinished),
  formatAge(backlog.oldestAt),
]

const headers = ['SUCCESS', 'SENT', 'FAILED', 'P95', 'BACKLOG', 'OLDEST']

const colors = {
  working: 'green',
  untried: 'dim',
  behind: 'yellow',
  failing: 'red',
  disabled: 'dim',
} as const

type Row = {
  readonly state: string
  readonly color?: (typeof colors)[keyof typeof colors]
  readonly cells: readonly string[]
  readonly name: string
}

const formatRows = ({ style }: Output, rows: readonly Row[]): string[] => {
  const widths = headers.map((_, column) => Math.max(...rows.map(({ cells }) => cells[column]?.length ?? 0)))
  return rows.map(({ state, color, cells, name }) => {
    const numbers = cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')
    const start = escapeControls(`${state.padEnd(8)}  ${numbers}  `)
    const room = Math.max(10, getWidth() - start.length)
    const shown = name.length > room ? `…${name.slice(1 - room)}` : name
    return (color === undefined ? start : start.replace(state, style(color, state))) + formatValue(shown)
  })
}

const formatOverview = (
  output: Output,
  overview: Overview,
  items: readonly SubscriptionOverview[],
): string => {
  const { totals, failures } = overview
  const rows: Row[] = [
    { state: 'STATE', cells: headers, name: 'ENDPOINT' },
    { state: 'all', cells: getCells(overview), name: `${totals.events} events` },
    ...items.map((each) => ({
      state: each.state,
      color: colors[each.state],
      cells: getCells(each),
      name: formatUrl(each.subscription.url).replace(/^https?:\/\//, ''),
    })),
  ]
  const causes = failures.map(({ attempts, cause, text }) => escapeControls(`${attempts} ${cause}: ${text}`))
  return [...formatRows(output, rows), ...(causes.length === 0 ? [] : ['', ...causes])].join('\n')
}

const show = async ({ window, ...options }: OverviewOptions): Promise<void> => {
  const control = createOrganizationClient(options)
  const get = (path: string) => control.send('GET', path)
  const overview = (await get(`/overview?window=${window}`)) as Overview
  const subscriptions: SubscriptionOverview[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query = new URLSearchParams({ window, ...(cursor !== '' && { cursor }) })
    const page = (await get(`/overview/subscriptions?${query}`)) as Page<SubscriptionOverview>
    subscriptions.push(...page.items)
    cursor = page.nextCursor
  }
  const output = createOutput(options)
  output.result({ ...overview, endpoints: subscriptions }, formatOverview(output, overview, subscriptions))
}

export const define = (command: Command): void => {
  addServerOptions(command)
    .addOption(
      createOption('--window <period>', 'the last hour, day or week')
        .choices(['hour', 'day', 'week'])
        .default('hour'),
    )
    .action(show)
  addExamples(command, 'overview', 'overview --window week --organization acme')
}

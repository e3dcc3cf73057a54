import type { Page, PendingWait } from '@wabakit/server/control-types'
import type { ComponentChildren } from 'preact'
import { advanceTo, clock } from '../api/clock.ts'
import { organizationId, sendOwn } from '../api/organization.ts'
import { perform } from '../api/reload.ts'
import { send } from '../api/send.ts'
import { formatDuration } from '../format/time.ts'
import { Button } from '../parts/button.tsx'
import { LoadProblem } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { useRecord } from '../parts/use-record.ts'

type Fault = { readonly id: string; readonly [field: string]: unknown }

/** A request or an attempt, with the faults that struck it. */
type Recorded = {
  readonly at: string
  readonly name?: string
  readonly method?: string
  readonly path?: string
  readonly to?: string
  readonly attempt?: number
  readonly fault?: object
  readonly faults?: readonly string[]
}

type Recordings = { readonly requests: readonly Recorded[]; readonly deliveries: readonly Recorded[] }

/** Waits begin and end, and a test adds faults, without a message. */
const pollMs = 2_000

type PartProps = { readonly title: string; readonly none: string; readonly children: ComponentChildren[] }

const Part = ({ title, none, children }: PartProps) => (
  <section class="faults" aria-label={title}>
    <h2>{title}</h2>
    {children.length === 0 ? <p class="quiet">{none}</p> : <ul>{children}</ul>}
  </section>
)

const describeFault = ({ id: _, ...fields }: Fault): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ')

const describeStruck = ({ fault, faults = [], name, attempt, to, method, path }: Recorded): string =>
  fault === undefined
    ? `${faults.join(', ')}: ${name}, attempt ${attempt} to ${to}`
    : `${JSON.stringify(fault)}: ${method} ${path}`

const useOwn = <Value,>(load: () => Promise<Value>) =>
  useRecord({ load, isAbout: () => true, pollMs }, [organizationId.value])

const DueWork = () => {
  const { now, isVirtual = false, due = [] } = clock.value ?? {}
  return (
    <Part title="Due later" none="Nothing is due later on the clock.">
      {due.map(({ at, description }) => (
        <li key={at + description}>
          <span>
            <Time at={at} /> {description}
            {now !== undefined && `, in ${formatDuration(Date.parse(at) - Date.parse(now))}`}
          </span>
          {isVirtual && <Button onClick={() => advanceTo(at)}>Move the clock there</Button>}
        </li>
      ))}
    </Part>
  )
}

const PendingWaits = () => {
  const { value, problem } = useOwn(() => sendOwn<Page<PendingWait>>(['waits']))
  return (
    <>
      <LoadProblem text={problem} />
      <Part title="Pending waits" none="No test is waiting.">
        {(value?.items ?? []).map(({ wait, reasons }, index) => (
          <li key={`${index} ${wait}`}>
            <details open>
              <summary>{wait}</summary>
              <pre>{reasons.join('\n')}</pre>
            </details>
          </li>
        ))}
      </Part>
    </>
  )
}

const loadFaults = async () => {
  const query = { organization: organizationId.value }
  const [requests, deliveries] = await Promise.all([
    send<Page<Fault>>(['faults'], { query }),
    sendOwn<Page<Fault>>(['delivery-faults']),
  ])
  const remove = (fault: Fault) => () =>
    requests.items.includes(fault)
      ? send(['faults', fault.id], { method: 'DELETE', query })
      : sendOwn(['delivery-faults', fault.id], { method: 'DELETE' })
  return [...requests.items, ...deliveries.items].map((fault) => ({ fault, remove: remove(fault) }))
}

const loadStruck = async (): Promise<readonly Recorded[]> => {
  const { requests, deliveries } = await sendOwn<Recordings>(['recordings'])
  return [...requests.filter(({ fault }) => fault), ...deliveries.filter(({ faults }) => faults?.length)]
}

const Faults = () => {
  const set = useOwn(loadFaults)
  const struck = useOwn(loadStruck)
  return (
    <>
      <LoadProblem text={set.problem || struck.problem} />
      <Part title="Faults that are set" none="No fault is set.">
        {(set.value ?? []).map(({ fault, remove }) => (
          <li key={fault.id}>
            <span>{describeFault(fault)}</span>
            <Button onClick={() => perform(remove, 'Removed the fault.')}>Remove</Button>
          </li>
        ))}
      </Part>
      <Part title="Faults that struck" none="No fault has struck.">
        {(struck.value ?? []).map((each, index) => (
          <li key={`${index} ${each.at}`}>
            <span>
              <Time at={each.at} /> {describeStruck(each)}
            </span>
          </li>
        ))}
      </Part>
    </>
  )
}

/** What only a mock has: its clock and what is due on it, the waits of tests, and faults. */
export const MockView = () => (
  <div class="overview">
    <header class="list-header">
      <h1>Test</h1>
      {clock.value && (
        <span class="quiet">
          {clock.value.isVirtual ? 'Virtual clock' : "The machine's clock"} <Time at={clock.value.now} />
        </span>
      )}
    </header>
    <div class="body">
      <PendingWaits />
      <DueWork />
      <Faults />
    </div>
  </div>
)

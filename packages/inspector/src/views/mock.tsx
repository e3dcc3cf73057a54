import { useSignal } from '@preact/signals'
import type { Page, PendingWait, TestLogEntry } from '@wabakit/server/control-types'
import { Faults } from '../actions/faults.tsx'
import { advanceTo, clock } from '../api/clock.ts'
import { organizationId, sendOwn } from '../api/organization.ts'
import { Button } from '../components/button.tsx'
import { Part } from '../components/part.tsx'
import { Badge, LoadProblem } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { useRecord } from '../components/use-record.ts'
import { formatDuration } from '../format/time.ts'
import { isTrace } from '../state/route.ts'

/** Interval of reloads, in milliseconds: waits begin and end without a message. */
const pollMs = 2_000

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
          {isVirtual && !isTrace && <Button onClick={() => advanceTo(at)}>Move the clock there</Button>}
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

/** Maximum number of entries of the log that are shown at first. */
const maxEntries = 200

const kinds: Readonly<Record<TestLogEntry['kind'], string>> = {
  step: 'Test',
  request: 'Request',
  event: 'Event',
  delivery: 'Delivery',
  wait: 'Wait',
  test: 'End',
}

const Entry = ({ entry: { at, kind, text, details, failed } }: { readonly entry: TestLogEntry }) => (
  <li class={`entry ${kind}`}>
    <Time at={at} />
    <Badge tone={failed ? 'bad' : kind === 'wait' || kind === 'delivery' ? 'good' : 'idle'}>
      {kinds[kind]}
    </Badge>
    <span>
      {text}
      {details !== '' && <pre>{details}</pre>}
    </span>
  </li>
)

const Struck = ({ entries }: { readonly entries: readonly TestLogEntry[] }) => (
  <Part title="Faults that struck" none="No fault has struck.">
    {entries
      .filter(({ fault }) => fault !== '')
      .map(({ at, fault, text }, index) => (
        <li key={`${index} ${at}`}>
          <span>
            <Time at={at} /> {fault}: {text}
          </span>
        </li>
      ))}
  </Part>
)

/** Why the test failed, and everything that happened in it, in its order. */
const TestLog = () => {
  const { value, problem } = useOwn(() => sendOwn<Page<TestLogEntry>>(['test-log']))
  const isWhole = useSignal(false)
  const entries = value?.items ?? []
  const failures = entries.filter(({ kind, failed }) => failed && (kind === 'wait' || kind === 'test'))
  const hidden = isWhole.value ? 0 : Math.max(0, entries.length - maxEntries)
  return (
    <>
      <LoadProblem text={problem} />
      {failures.length > 0 && (
        <Part title="What failed" none="">
          {failures.slice(-3).map((entry, index) => (
            <Entry key={`${index} ${entry.at}`} entry={entry} />
          ))}
        </Part>
      )}
      <Part title="Test log" none="Nothing has happened yet.">
        {entries.slice(hidden).map(({ details: _, ...entry }, index) => (
          <Entry key={hidden + index} entry={{ ...entry, details: '' }} />
        ))}
      </Part>
      {hidden > 0 && <Button onClick={() => (isWhole.value = true)}>Show {hidden} earlier entries</Button>}
      <Struck entries={entries} />
    </>
  )
}

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
      <TestLog />
      <DueWork />
      <PendingWaits />
      <Faults />
    </div>
  </div>
)

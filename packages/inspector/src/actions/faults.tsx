import type { Page } from '@wabakit/server/control-types'
import { organizationId, sendOwn } from '../api/organization.ts'
import { perform } from '../api/reload.ts'
import { info, send } from '../api/send.ts'
import { Button } from '../components/button.tsx'
import { Part } from '../components/part.tsx'
import { LoadProblem } from '../components/status.tsx'
import { useRecord } from '../components/use-record.ts'
import { isTrace } from '../state/route.ts'

type Fault = { readonly id: string; readonly [field: string]: unknown }

/** A test adds faults, and requests use them up, without a message. */
const pollMs = 2_000

const describe = ({ id: _, ...fields }: Fault): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ')

/** Loads the faults of the public API and, on a mock, those of deliveries. */
const load = async () => {
  const query = { organization: organizationId.value }
  const [requests, deliveries] = await Promise.all([
    send<Page<Fault>>(['faults'], { query }),
    info.value?.can.includes('mock') ? sendOwn<Page<Fault>>(['delivery-faults']) : { items: [] },
  ])
  const remove = (fault: Fault) => () =>
    requests.items.includes(fault)
      ? send(['faults', fault.id], { method: 'DELETE', query })
      : sendOwn(['delivery-faults', fault.id], { method: 'DELETE' })
  return [...requests.items, ...deliveries.items].map((fault) => ({ fault, remove: remove(fault) }))
}

export const Faults = () => {
  const { value = [], problem } = useRecord({ load, pollMs }, [organizationId.value])
  return (
    <>
      <LoadProblem text={problem} />
      <Part title="Faults that are set" none="No fault is set.">
        {value.map(({ fault, remove }) => (
          <li key={fault.id}>
            <span>{describe(fault)}</span>
            {!isTrace && <Button onClick={() => perform(remove, 'Removed the fault.')}>Remove</Button>}
          </li>
        ))}
      </Part>
    </>
  )
}

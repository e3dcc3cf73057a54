import type { Page } from '@wabakit/server/control-types'
import { perform } from '../api/reload.ts'
import { send } from '../api/send.ts'
import { Button } from '../parts/button.tsx'
import { useRecord } from '../parts/use-record.ts'

type Fault = {
  readonly id: string
  readonly endpoint: string
  readonly remaining: number | 'always'
  readonly [field: string]: unknown
}

const describe = ({ id: _, endpoint, remaining, times: __, ...fault }: Fault): string => {
  const parts = Object.entries(fault).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return `${endpoint}: ${parts.join(', ')} · ${remaining === 'always' ? 'always' : `${remaining} left`}`
}

const remove = (id: string): Promise<boolean> =>
  perform(async () => {
    await send(`/faults/${encodeURIComponent(id)}`, { method: 'DELETE' })
    return 'Removed the fault.'
  })

/** The faults that affect upcoming requests. */
export const ActiveFaults = () => {
  const { value } = useRecord({ load: () => send<Page<Fault>>('/faults') }, [])
  const faults = value?.items ?? []
  if (faults.length === 0) return null
  return (
    <section class="faults" aria-label="Active faults">
      <h3>Active faults</h3>
      <ul>
        {faults.map((fault) => (
          <li key={fault.id}>
            <span>{describe(fault)}</span>
            <Button onClick={() => remove(fault.id)}>Remove</Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

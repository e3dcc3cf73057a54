import { useSignal } from '@preact/signals'
import type { Attempt, Delivery, SentRequest } from '@wabakit/server/control-types'
import { loadRequest } from '../api/organization.ts'
import { Select } from '../components/select.tsx'
import { useRecord } from '../components/use-record.ts'
import { showBody } from '../format/mask.ts'
import { formatDuration, formatTime } from '../format/time.ts'

type Row = readonly [name: string, left: string, right: string]

const listRows = (
  [left, right]: readonly [Attempt, Attempt],
  [leftRequest, rightRequest]: readonly (SentRequest | undefined)[],
): Row[] => {
  const names = Object.keys({ ...leftRequest?.headers, ...rightRequest?.headers })
  return [
    ['Started', formatTime(left.startedAt), formatTime(right.startedAt)],
    ['Duration', formatDuration(left.durationMs), formatDuration(right.durationMs)],
    ['Status', String(left.status ?? 'no response'), String(right.status ?? 'no response')],
    ['Error', left.error ?? '', right.error ?? ''],
    ['Response', showBody(left.responseBody ?? ''), showBody(right.responseBody ?? '')],
    ['URL', left.url, right.url],
    ...names.map((name): Row => [name, leftRequest?.headers[name] ?? '', rightRequest?.headers[name] ?? '']),
    ['Body', showBody(leftRequest?.body ?? ''), showBody(rightRequest?.body ?? '')],
  ]
}

/** An attempt, with its delivery and all attempts of that delivery. */
export type ChosenAttempt = {
  readonly delivery: Delivery
  readonly attempts: readonly Attempt[]
  readonly attempt: Attempt
}

export const CompareView = ({ delivery, attempts, attempt }: ChosenAttempt) => {
  const others = attempts.filter(({ number }) => number !== attempt.number)
  const chosen = useSignal<number | undefined>(undefined)
  const other = others.find(({ number }) => number === chosen.value) ?? others.at(-1)
  const { value: requests = [] } = useRecord(
    {
      load: () =>
        Promise.all(
          [attempt, other].map(
            (each) => each && loadRequest(delivery.id, each.number).catch(() => undefined),
          ),
        ),
    },
    [delivery.id, attempt.number, other?.number],
  )
  if (other === undefined) return null
  const rows = listRows([attempt, other], requests)
  return (
    <table class="compare">
      <thead>
        <tr>
          <th scope="col">
            <span class="sr-only">Part</span>
          </th>
          <th scope="col">Attempt {attempt.number}</th>
          <th scope="col">
            <Select
              label="Compare with"
              value={String(other.number)}
              choices={others.map(({ number }) => ({ value: String(number), label: `Attempt ${number}` }))}
              onChange={(number) => (chosen.value = Number(number))}
            />
          </th>
        </tr>
      </thead>
      <tbody>
        {rows
          .filter(([, left, right]) => left !== '' || right !== '')
          .map(([name, left, right]) => (
            <tr key={name} class={left === right ? '' : 'differs'}>
              <th scope="row">{name}</th>
              {left === right ? (
                <td colSpan={2}>{left}</td>
              ) : (
                <>
                  <td>{left || '–'}</td>
                  <td>{right || '–'}</td>
                </>
              )}
            </tr>
          ))}
      </tbody>
    </table>
  )
}

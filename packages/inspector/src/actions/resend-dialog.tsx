import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { getMessage } from '../api/api-error.ts'
import { reloadAll } from '../api/reload.ts'
import { findSubscription } from '../api/subscriptions.ts'
import { Button } from '../components/button.tsx'
import { Dialog, type DialogControl } from '../components/dialog.tsx'
import { Problem } from '../components/status.tsx'
import { formatCount } from '../format/numbers.ts'
import { getNow } from '../state/now.ts'
import type { Params } from '../state/route.ts'
import { isResent, Results, type ResultsProps, readDeliveries } from './resend-results.tsx'
import { resend } from './resend-shares.tsx'
import { StillFailing } from './still-failing.tsx'

/** How much earlier than the resend an attempt may seem to start, in milliseconds: the server's clock may differ. */
const clockToleranceMs = 600_000

/** The filters that deliveries may no longer match once they are resent. */
const changing = {
  status: undefined,
  response: undefined,
  anyResponse: undefined,
  attemptedBefore: undefined,
  finishedFrom: undefined,
  finishedBefore: undefined,
}

/** Resends the deliveries that match a query. Returns what is needed to follow what becomes of them. */
export const useResend = () => {
  /** The number of deliveries that have been resent so far, while the resend runs. */
  const count = useSignal<number | undefined>(undefined)
  const problem = useSignal('')
  const results = useSignal<ResultsProps | undefined>(undefined)
  const start = async (query: Params): Promise<void> => {
    count.value = 0
    problem.value = ''
    const attemptedFrom = new Date(getNow() - clockToleranceMs).toISOString()
    try {
      const found = (await readDeliveries(query)).filter(isResent)
      const [from] = found.map(({ createdAt }) => createdAt).toSorted()
      results.value = {
        attempted: { ...query, ...changing, from, attemptedFrom },
        known: new Map(found.map(({ id, attempts }) => [id, attempts])),
        count: await resend(query, count),
      }
      reloadAll()
    } catch (error) {
      problem.value = getMessage(error)
      count.value = undefined
    }
  }
  return { start, count: count.value, problem: problem.value, results: results.value }
}

type ResendDialogProps = DialogControl & {
  readonly title: string
  readonly resending: ReturnType<typeof useResend>
  readonly query: Params
  /** The number of deliveries that match, or `undefined` while they are counted. */
  readonly total: number | undefined
  /** The ids of the endpoints that get the deliveries. While one of them fails, the dialog does not recommend the resend. */
  readonly endpoints: readonly string[]
  /** Describes the deliveries to resend, before the resend is confirmed. */
  readonly children: ComponentChildren
}

/** Shows what a resend covers, how much has been resent so far, and then what becomes of it. */
export const ResendDialog = (props: ResendDialogProps) => {
  const { title, resending, query, total, endpoints, children, onClose } = props
  const { start, count, problem, results } = resending
  const isFailing = endpoints.some((id) => findSubscription(id)?.state === 'failing')
  return (
    <Dialog title={title} onClose={onClose}>
      {results ? (
        <Results {...results} />
      ) : count === undefined ? (
        <>
          <StillFailing ids={endpoints} onClose={onClose} />
          {children}
        </>
      ) : (
        <p role="status">
          {formatCount(count)} of {formatCount(total ?? 0)} resent so far…
        </p>
      )}
      <Problem text={problem} />
      <footer>
        {results ? (
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              {...(!isFailing && { kind: 'primary' })}
              disabled={!total || count !== undefined}
              onClick={() => start(query)}
            >
              Resend {total !== undefined && formatCount(total)}
            </Button>
          </>
        )}
      </footer>
    </Dialog>
  )
}

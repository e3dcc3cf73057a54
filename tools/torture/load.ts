import { setTimeout } from 'node:timers/promises'
import { type Acknowledgement, openLines } from './lines.ts'
import type { Random } from './random.ts'

/** Options for {@link startLoad}. */
export type LoadOptions = {
  readonly file: string
  readonly random: Random
  /** Returns the URL of a server for each request, or `undefined` while there is none. */
  readonly url: () => string | undefined
  /** Number of concurrent clients. */
  readonly width: number
  /** Set if each client pauses between requests, so that the machine has time for the scenario's faults. */
  readonly isCalm: boolean
}

/** The results of the load. */
export type LoadReport = {
  readonly requests: number
  /** Number of acknowledged changes: groups, call steps and summaries. */
  readonly acknowledged: number
  /** Number of 503 responses with `Retry-After`, which mean that nothing was changed. */
  readonly unavailable: number
  /** Number of 503 `outcome_unknown` responses, without `Retry-After`. */
  readonly unknown: number
  /** Number of requests whose outcome is unknown because the connection broke. */
  readonly broken: number
  /** Number of unexpected responses by status. */
  readonly wrong: Record<string, number>
  /** Duration of the slowest response, in milliseconds. */
  readonly slowestMs: number
}

/** A running load. */
export type Load = {
  /** Returns the results so far. */
  readonly report: () => LoadReport
  /** Stops the load. Resolves when the last request has a response. It may be called again. */
  stop(): Promise<LoadReport>
}

/** The groups' WABA numbers. There are several of them so that subscriptions are in several shards. */
export const wabaNumbers = ['+15550100001', '+15550100011', '+15550100012', '+15550100013'] as const

type Answer = { readonly status: number; readonly body: unknown }

/** Creates groups, plays calls, saves summaries, and records the acknowledged changes. */
export const startLoad = ({ file, random, url, width, isCalm }: LoadOptions): Load => {
  const lines = openLines<Acknowledgement>(file)
  const report = {
    requests: 0,
    acknowledged: 0,
    unavailable: 0,
    unknown: 0,
    broken: 0,
    wrong: {} as Record<string, number>,
    slowestMs: 0,
  }
  let isStopping = false
  let count = 0
  const newId = (prefix: string): string => `${prefix}-${process.pid}-${count++}`

  const acknowledge = (line: Acknowledgement): void => {
    report.acknowledged++
    lines.append(line)
  }

  const post = async (path: string, body: object): Promise<Answer | undefined> => {
    const server = url()
    if (server === undefined) {
      await setTimeout(random.between(20, 60))
      return undefined
    }
    report.requests++
    const start = performance.now()
    try {
      const headers = { authorization: 'wk_torture_0123456789', 'content-type': 'application/json' }
      const response = await fetch(`${server}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      const answer = { status: response.status, body: await response.json() }
      report.slowestMs = Math.max(report.slowestMs, Math.round(performance.now() - start))
      const isPostponed = response.headers.has('retry-after')
      const { code } = answer.body
      if (code === 'storage_unavailable' && isPostponed) report.unavailable++
      else if (code === 'outcome_unknown' && !isPostponed) report.unknown++
      else if (!response.ok) report.wrong[response.status] = (report.wrong[response.status] ?? 0) + 1
      return answer
    } catch {
      report.broken++
      await setTimeout(random.between(20, 60))
      return undefined
    }
  }

  /** Repeats an idempotent request until its outcome is known. */
  const insist = async (path: string, body: object): Promise<Answer | undefined> => {
    for (;;) {
      const answer = await post(path, body)
      if (answer !== undefined && answer.status !== 503) return answer
      if (isStopping) return undefined
      await setTimeout(random.between(20, 60))
    }
  }

  const createGroup = async (): Promise<void> => {
    const groupId = newId('group')
    const wabaNumber = wabaNumbers[count % wabaNumbers.length]
    const body = { wabaNumber, subject: 'Torture', groupId }
    const times = random.happens(0.05) ? 5 : 1
    const answers = await Promise.all(
      Array.from({ length: times }, () => insist('/whatsapp/wa-group/create', body)),
    )
    if (answers.some((answer) => answer?.status === 200)) acknowledge({ kind: 'group', groupId })
  }

  const playCall = async (): Promise<void> => {
    const callId = newId('call')
    const calls = '/_wabakit/organizations/torture/calls'
    const isTold = async (event: string, path: string, body: object): Promise<boolean> => {
      const answer = await post(path, body)
      const isDone = answer !== undefined && answer.status >= 200 && answer.status <= 299
      if (isDone) acknowledge({ kind: 'step', callId, event })
      return isDone
    }
    const call = { callId, channel: 'PSTN', channelNumber: '+15550100002', customerNumber: '+15550199001' }
    if (!(await isTold('CALL_INCOMING_INITIATED', calls, { ...call, direction: 'INCOMING' }))) return
    if (!(await isTold('CALL_ACCEPTED', `${calls}/${callId}/steps`, { step: 'accept' }))) return
    if (!(await isTold('CALL_ENDED', `${calls}/${callId}/steps`, { step: 'end' }))) return
    const summaries = ['first', 'second'].map(async (word) => {
      const recap = `The ${word} summary of ${callId}`
      const answer = await insist(`${calls}/${callId}/summary`, { recap, keyPoints: [], nextSteps: [] })
      if (answer?.status === 200) acknowledge({ kind: 'summary', callId, recap })
    })
    await Promise.all(summaries)
  }

  const work = async (): Promise<void> => {
    while (!isStopping) {
      await (random.happens(0.15) ? playCall() : createGroup())
      if (isCalm) await setTimeout(random.between(0, 20))
    }
  }
  const working = Promise.all(Array.from({ length: width }, work))
  const stop = async (): Promise<LoadReport> => {
    isStopping = true
    await working
    lines.close()
    return report
  }
  let stopping: Promise<LoadReport> | undefined
  return {
    report: () => report,
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}

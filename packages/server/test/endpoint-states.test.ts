import { expect, onTestFinished, test, vi } from 'vitest'
import { acme, control, listenForWebhooks, start } from './fixture.ts'

const path = '/organizations/acme'

test('an endpoint whose oldest due delivery waits for more than a minute is behind, in every list', async () => {
  const server = await start()
  const subscribe = async (status: number, more: object = {}): Promise<string> => {
    const { url } = await listenForWebhooks(() => status)
    const body = { channel: 'PSTN', number: acme.pstnNumbers[0], url, ...more }
    return (await control(server, `POST ${path}/subscriptions`, body)).body.id
  }
  // It gets an attempt every 100 seconds, so several events wait for minutes although each attempt succeeds.
  const slow = await subscribe(200, { maxAttemptsPerSecond: 0.01 })
  const works = await subscribe(200)
  const failing = await subscribe(500)
  const untried = await subscribe(200, { events: ['CALL_AI_SUMMARY'] })
  for (let index = 0; index < 9; index++) {
    const event = {
      channel: 'PSTN',
      number: '+15550100002',
      subject: `call:c${index}`,
      payload: '{}',
    } as const
    await server.service.events.publish('acme', { ...event, name: 'CALL_ENDED' })
  }
  const list = async (query = '') =>
    (await control(server, `GET ${path}/subscriptions${query}`)).body.items.map(
      ({ id, state }: { id: string; state: string }) => [id, state],
    )
  const poll = () => expect.poll(() => list())
  await poll().toEqual([
    [slow, 'working'],
    [works, 'working'],
    [failing, 'failing'],
    [untried, 'untried'],
  ])
  const { deliveries } = server.service
  const countOpen = async () => {
    const { items } = await deliveries.list('acme', { subscriptionId: works })
    return items.filter(({ status }) => status !== 'delivered').length
  }
  await expect.poll(countOpen).toBe(0)
  // Only the clock is replaced: two minutes later, what is due has been due for two minutes, also at the failing endpoint.
  const [wall, elapsed] = [Date.now.bind(Date), performance.now.bind(performance)]
  vi.spyOn(Date, 'now').mockImplementation(() => wall() + 120_000)
  vi.spyOn(performance, 'now').mockImplementation(() => elapsed() + 120_000)
  onTestFinished(() => void vi.restoreAllMocks())
  await poll().toEqual([
    [slow, 'behind'],
    [works, 'working'],
    [failing, 'failing'],
    [untried, 'untried'],
  ])
  expect(await list('?state=behind')).toEqual([[slow, 'behind']])
  expect(await list('?state=untried')).toEqual([[untried, 'untried']])
  const due = (await deliveries.list('acme', { subscriptionId: slow, statuses: ['pending'] })).items
  const oldest = Math.min(...due.map(({ dueAt }) => dueAt ?? Infinity))
  const behind = { state: 'behind', oldestDueAt: new Date(oldest).toISOString() }
  expect((await control(server, `GET ${path}/subscriptions/${slow}`)).body).toMatchObject(behind)
  const { items } = (await control(server, `GET ${path}/overview/subscriptions`)).body
  expect(items.map(({ subscription }: { subscription: { id: string } }) => subscription.id)).toEqual([
    failing,
    slow,
    untried,
    works,
  ])
  expect(items[1]).toMatchObject(behind)
  expect([items[0].oldestDueAt, items[2].oldestDueAt, items[3].oldestDueAt]).toEqual([null, null, null])
  const overview = (await control(server, `GET ${path}/overview`)).body
  expect(overview.subscriptions).toEqual({ working: 1, untried: 1, behind: 1, failing: 1, disabled: 0 })
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  expect(metrics).toContain('wabakit_subscriptions{state="behind"} 1')
})

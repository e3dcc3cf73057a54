import { createMock, type Mock } from 'wabakit/mock'
import { openGroup } from './orders'

let mock: Mock
beforeAll(async () => {
  mock = await createMock()
})
afterEach(() => mock.reset())
afterAll(() => mock.close())

test('a group is created for an order', async () => {
  const groupId = await openGroup(mock.client(), { wabaNumber: mock.wabaNumber, number: 1042 })
  await mock.waitForEvent('GROUP_CREATED', { groupId, groupName: 'Order 1042' })
})

test('an order waits while the service is busy', async () => {
  mock.faults.next('groups.create', { status: 429 })
  const client = mock.client({ retry: { limit: 0 } })
  expect(await openGroup(client, { wabaNumber: mock.wabaNumber, number: 1043 })).toBeUndefined()
})

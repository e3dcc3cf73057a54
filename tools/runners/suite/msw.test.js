import { setupServer } from 'msw/node'
import { createMock } from 'wabakit/mock'
import { mockHandlers } from 'wabakit/mock/msw'

const mock = await createMock()
const server = setupServer(...mockHandlers(mock, 'https://api.example.com'))
beforeAll(() => server.listen())
afterAll(() => server.close())

test('an application with a fixed base URL reaches the mock through msw', async () => {
  const response = await fetch('https://api.example.com/whatsapp/wa-group/create', {
    method: 'POST',
    headers: { authorization: mock.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ wabaNumber: mock.wabaNumber, subject: 'Order 7' }),
  })
  expect(response.status).toBe(200)
  const { groupId } = await response.json()
  await mock.waitForEvent('GROUP_CREATED', { groupId })
})

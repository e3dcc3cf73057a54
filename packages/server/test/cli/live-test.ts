/**
 * Changes the test that `init` writes for a token in the URL: the service drops credentials, repeats a summary without an
 * id, and sends nulls.
 */
export const toLiveTest = (text: string): string =>
  text
    .replace(
      'createMock()',
      "createMock({ profile: 'live', live: { dropCredentials: true, nullFields: ['groupId'] } })",
    )
    .replace(
      /^ *const \{ callId \} =/m,
      `    mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')
    await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
$&`,
    )
    .replace(
      /^ *expect\(delivery\.acknowledged\).*\n/m,
      `$&    await mock.clock.advance(0)
    const summaries = mock.deliveries.filter(({ name }) => name === 'CALL_AI_SUMMARY')
    expect(summaries.map(({ headers }) => headers.has('webhook-id'))).toEqual([false, false])
    expect(summaries.at(-1)?.outcome).toBe('duplicate')
    const [created] = mock.deliveries.filter(({ name }) => name === 'GROUP_CREATED')
    expect(JSON.parse(created?.body ?? '').groupId).toBe(null)
    expect(mock.deliveries.map(({ status }) => status)).toEqual(mock.deliveries.map(() => 200))
`,
    )

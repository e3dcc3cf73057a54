"""Run with: npx @wabakit/server exec --mock -- python3 -m unittest"""

import secrets
import threading
import unittest
import urllib.error
import urllib.request

import wabakit_mock as mock
from orders import Orders, serve


def create_group(group_id):
    body = {"wabaNumber": mock.WABA_NUMBER, "subject": "Order", "groupId": group_id}
    headers = {"x-public-api-key": mock.API_KEY}
    status, result = mock.request("POST", "/whatsapp/wa-group/create", body, headers)
    if status != 200:
        raise ValueError(result["message"])


class OrdersTest(unittest.TestCase):
    def setUp(self):
        mock.control("POST", "/reset")
        token = secrets.token_urlsafe()
        self.orders = Orders(token, create_group)
        self.server = serve(self.orders)
        # Otherwise each shutdown waits for half a second.
        poll = {"poll_interval": 0.01}
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs=poll)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        mock.subscribe(f"{self.url}?token={token}")

    def tearDown(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
        self.assertEqual(mock.control("GET", "/unused-faults")["items"], [])

    def test_a_stranger_is_refused(self):
        for query in ("", "?token=", "?token=guess"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(self.url + query, data=b"{}", timeout=30)
            self.assertEqual(refused.exception.code, 401)
            refused.exception.close()

    def test_a_duplicate_is_handled_once(self):
        mock.add_fault(kind="duplicate", event="CALL_AI_SUMMARY")
        call = mock.simulate_call(summary={"recap": "Wants a refund."})
        mock.wait_for_delivery("CALL_AI_SUMMARY", callId=call["callId"])
        mock.advance(0)
        self.assertEqual(self.orders.summaries, {call["callId"]: ["Wants a refund."]})
        deliveries = mock.control("GET", "/recordings")["deliveries"]
        self.assertEqual(len([each for each in deliveries if "duplicate" in each["faults"]]), 1)

    def test_a_late_event_arrives_after_its_followers(self):
        mock.add_fault(kind="delay", event="CALL_INCOMING_INITIATED", by="10s")
        mock.simulate_call(summary=False)
        mock.advance("10s")
        self.assertEqual(
            self.orders.events, ["CALL_ACCEPTED", "CALL_ENDED", "CALL_INCOMING_INITIATED"]
        )

    def test_events_arrive_in_another_order(self):
        mock.add_fault(kind="reorder", events=["CALL_ENDED", "CALL_ACCEPTED"])
        mock.simulate_call(summary=False)
        mock.advance(0)
        self.assertEqual(self.orders.events[-2:], ["CALL_ENDED", "CALL_ACCEPTED"])

    def test_a_lost_response_is_settled_by_the_event(self):
        mock.lose_next_response()
        self.orders.place("1042")
        mock.wait_for_delivery("GROUP_CREATED", groupId="order-1042")
        self.assertEqual(self.orders.groups, {"order-1042": "created"})
        [sent] = mock.control("GET", "/recordings")["requests"]
        self.assertEqual(sent["verdict"], "fault")

    def test_a_summary_arrives_after_thirty_minutes(self):
        call = mock.simulate_call(summary={"recap": "Wants a refund.", "after": "30m"})
        mock.advance("29m")
        self.assertEqual(self.orders.summaries, {})
        mock.advance("1m")
        self.assertEqual(self.orders.summaries, {call["callId"]: ["Wants a refund."]})


if __name__ == "__main__":
    unittest.main()

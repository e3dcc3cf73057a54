"""A webhook endpoint on Python's http.server. It is correct, or has the mistake named by the argument."""
import base64, hashlib, hmac, json, sys, threading, time, traceback
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer

flaw = sys.argv[1] if len(sys.argv) > 1 else ''
secrets = [base64.b64decode(each.removeprefix('whsec_')) for each in sys.argv[2:]]
effects, seen = [], set()
lock = threading.Lock()


class Refusal(Exception):
    pass


def read_body(request):
    limit = 1_048_576
    if 'chunked' in request.headers.get('transfer-encoding', ''):
        body = b''
        while True:
            size = int(request.rfile.readline().split(b';')[0], 16)
            body += request.rfile.read(size)
            request.rfile.readline()
            if size == 0:
                return body
            if len(body) > limit:
                raise Refusal(413)
    length = int(request.headers.get('content-length', 0))
    if length > limit:
        # Keeps reading for a while, so that the client sees the response.
        for left in range(min(length, 2_000_000), 0, -65_536):
            request.rfile.read(min(left, 65_536))
        raise Refusal(413)
    body = request.rfile.read(length)
    if len(body) < length:
        raise Refusal(400)
    return body


def verify(request, body):
    names = ('webhook-id', 'webhook-timestamp', 'webhook-signature')
    if flaw == 'lower-case names' and names[2] not in request.headers.keys() and request.headers.get(names[2]):
        return
    values = [request.headers.get_all(name, []) for name in names]
    if flaw == 'last header':
        values = [each[-1:] for each in values]
    if any(len(each) != 1 for each in values):
        raise Refusal(401)
    identity, timestamp, header = (each[0] for each in values)
    if not identity or not header or not (timestamp.isascii() and timestamp.isdigit()):
        raise Refusal(401)
    if abs(time.time() - int(timestamp)) > 300:
        raise Refusal(401)
    content = f'{identity}.{timestamp}.'.encode() + body
    expected = [base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()) for key in secrets]
    for part in header.split(' '):
        version, _, given = part.partition(',')
        if version == 'v1' and any(hmac.compare_digest(given.encode(), right) for right in expected):
            return
    raise Refusal(401)


def handle(event):
    line = f"{event.get('event')} {event.get('callId') or event.get('groupId')}"
    if flaw == 'slow effects twice':
        threading.Timer(0.3, lambda: effects.append(line)).start()
    elif line not in effects or flaw == 'last header':
        effects.append(line)


def remember(identity):
    """Returns whether the delivery was handled before."""
    with lock:
        if flaw == 'slow effects twice' or identity not in seen:
            seen.add(identity)
            return False
        return True


class Endpoint(BaseHTTPRequestHandler):
    # With one thread and this limit, it would accept a delivery after 5 s for each slow body, which may be soon enough.
    timeout = None if flaw == 'one thread' else 5

    def respond(self, status, text=''):
        data = text.encode()
        self.send_response(status)
        self.send_header('content-length', str(len(data)))
        self.send_header('connection', 'close')
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == '/effects':
            return self.respond(200, '\n'.join(effects))
        self.respond(405)

    def do_POST(self):
        try:
            self.receive()
        except Refusal as refusal:
            self.respond(refusal.args[0])
        except Exception:
            self.respond(500, traceback.format_exc() if flaw == 'traceback' else '')

    def receive(self):
        body = read_body(self)
        verify(self, body)
        if flaw == 'traceback':
            event = json.loads(body.decode())
        try:
            event = json.loads(body.decode())
        except (ValueError, RecursionError):
            raise Refusal(400)
        if not isinstance(event, dict):
            raise Refusal(400)
        if not remember(self.headers['webhook-id']):
            handle(event)
        self.respond(200)

    def log_message(self, *_):
        pass


class Server(HTTPServer if flaw == 'one thread' else ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, *_):
        pass


server = Server(('127.0.0.1', 0), Endpoint)
print(server.server_port, flush=True)
server.serve_forever()

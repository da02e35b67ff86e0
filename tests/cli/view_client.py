# SPDX-License-Identifier: Apache-2.0
# view_client.py WORD...: starts `ptxsim view` and asks as a browser does, and as one must not. Prints "ok".
import http.client
import subprocess
import sys
import urllib.parse

server = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
try:
    url = urllib.parse.urlsplit(server.stdout.readline().strip())
    wrong = []

    def ask(path, host=None, method="GET"):
        c = http.client.HTTPConnection(url.hostname, url.port, timeout=10)
        c.request(method, path, headers={"Host": host} if host else {})
        r = c.getresponse()
        return r.status, r.read(), r.headers

    def want(status, *asked, **more):
        got = ask(*asked, **more)
        if got[0] != status:
            wrong.append((asked, more, got[0]))
        return got

    assert url.hostname == "127.0.0.1" and len(url.path) == 34
    want(200, url.path)
    page = want(200, url.path + "index.html")
    wrong += [] if b'content="fault.ptx"' in page[1] and page[2]["X-Content-Type-Options"] == "nosniff" else ["page"]
    wrong += [] if want(200, url.path + "engine.wasm")[2]["Content-Type"] == "application/wasm" else ["type"]
    want(200, url.path + "file.txt?x=1")
    want(200, url.path, host="localhost:%d" % url.port)
    want(404, "/")
    want(404, "/index.html")
    want(404, "/" + "0" * 32 + "/index.html")
    want(404, url.path + "../index.html")
    want(404, url.path + "..%2f..%2fetc/passwd")
    want(404, url.path + "nothing")
    want(404, url.path, host="elsewhere.example:%d" % url.port)
    want(404, url.path, host="127.0.0.1:1")
    want(404, url.path, method="POST")
    print(wrong or "ok")
finally:
    server.terminate()

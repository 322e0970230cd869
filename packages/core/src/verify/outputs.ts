/** What real runners print of one suite: a test that passes, one or two that fail, one that is skipped. For tests. */
export const OUTPUTS = {
  vitest: `
 FAIL  |node| a.test.ts > pages > fails here
AssertionError: expected 1 to be 2 // Object.is equality

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed | 1 skipped (3)
   Start at  05:44:34
   Duration  4.59s`,
  jest: `FAIL j/a.test.js
  ✕ alone
  pages
    ✓ adds (1 ms)
    ✕ fails here (4 ms)
    ○ skipped later

  ● pages › fails here

    expect(received).toBe(expected) // Object.is equality

  ● alone

    x

Test Suites: 1 failed, 1 total
Tests:       2 failed, 1 skipped, 1 passed, 4 total
Snapshots:   0 total
Time:        0.748 s`,
  tap: `TAP version 13
# Subtest: pages
    # Subtest: adds
    ok 1 - adds
    # Subtest: fails here
    not ok 2 - fails here
      ---
      duration_ms: 0.595387
      type: 'test'
      location: '/n/a.test.js:2:41'
      ...
    ok 3 - later # SKIP
    1..3
not ok 1 - pages
  ---
  duration_ms: 4.593395
  type: 'suite'
  ...
not ok 3 - todo # TODO
  ---
  duration_ms: 0.793824
  type: 'test'
  ...
1..2
# tests 4
# suites 1
# pass 1
# fail 1
# cancelled 0
# skipped 1
# todo 1`,
  spec: `▶ pages
  ✔ adds (0.840038ms)
  ✖ fails here (0.433711ms)
  ﹣ later (0.151211ms) # SKIP
✖ pages (3.068699ms)
✖ alone (0.1506ms)
ℹ tests 4
ℹ suites 1
ℹ pass 1
ℹ fail 2
ℹ cancelled 0
ℹ skipped 1
ℹ todo 0

✖ failing tests:

test at n/a.test.js:2:41
✖ fails here (0.433711ms)
  Error: bad
      at TestContext.<anonymous> (/n/a.test.js:2:68)

test at n/a.test.js:2:113
✖ alone (0.1506ms)
  Error: x`,
  mocha: `

  pages
    inner
      ✔ adds
      1) fails here
      - later


  1 passing (7ms)
  1 pending
  1 failing

  1) pages
       inner
         fails here:
     Error: no: bad
      at Context.<anonymous> (m/a.js:1:90)`,
  pytest: `test_a.py .Fs                                                            [100%]

=========================== short test summary info ============================
FAILED test_a.py::test_bad - assert 1 == 2
==================== 1 failed, 1 passed, 1 skipped in 1.62s ====================`,
  unittest: `Fs.
======================================================================
FAIL: test_bad (test_a.T.test_bad)
----------------------------------------------------------------------
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 3 tests in 0.001s

FAILED (failures=1, skipped=1)`,
  cargo: `running 3 tests
test tests::later ... ignored
test tests::ok ... ok
test tests::bad ... FAILED

failures:
    tests::bad

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s

error: test failed, to rerun pass \`--lib\``,
  go: `--- FAIL: TestBad (0.00s)
    a_test.go:5: bad
FAIL
FAIL\texample.com/a\t0.002s
ok  \texample.com/b\t0.001s
FAIL`,
  talkativeGo: `=== RUN   TestOk
--- PASS: TestOk (0.00s)
=== RUN   TestBad
    a_test.go:5: bad
--- FAIL: TestBad (0.00s)
=== RUN   TestLater
--- SKIP: TestLater (0.00s)
FAIL
FAIL\texample.com/a\t0.002s`,
} as const;

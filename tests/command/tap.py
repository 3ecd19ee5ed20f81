# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the unittest cases of the main module and reports each in the Test Anything Protocol."""

import sys
import unittest


class TapResult(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.reasons = []
        self.directive = ""

    def startTest(self, test):
        super().startTest(test)
        self.reasons = []
        self.directive = ""

    def stopTest(self, test):
        super().stopTest(test)
        for line in "".join(self.reasons).splitlines():
            print("#", line)
        verdict = "not ok" if self.reasons else "ok"
        name = test.id().partition(".")[2]
        print(f"{verdict} {self.testsRun} - {name}{self.directive}", flush=True)

    def addError(self, test, err):
        self.reasons.append(self._exc_info_to_string(err, test))
        super().addError(test, err)

    def addFailure(self, test, err):
        self.reasons.append(self._exc_info_to_string(err, test))
        super().addFailure(test, err)

    def addSkip(self, test, reason):
        self.directive = f" # SKIP {reason}"
        super().addSkip(test, reason)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.reasons.append(f"{subtest}\n{self._exc_info_to_string(err, test)}")
        super().addSubTest(test, subtest, err)


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    print(f"1..{suite.countTestCases()}", flush=True)
    result = TapResult()
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)

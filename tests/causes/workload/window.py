# SPDX-License-Identifier: Apache-2.0
"""A program with a window and a thread with a loop of its own, by Qt: window.py idle|stall."""
import sys

from PyQt5.QtCore import QProcess, QThread, QTimer
from PyQt5.QtWidgets import QApplication, QLabel


def stall():
    process = QProcess()
    process.start("sleep", ["0.2"])
    process.waitForFinished()  # what a window must not do


app = QApplication(sys.argv)
label = QLabel("nothing to do")
label.show()
thread = QThread()
thread.start()
if sys.argv[1] == "stall":
    timer = QTimer()
    timer.timeout.connect(stall)
    timer.start(50)
app.exec()

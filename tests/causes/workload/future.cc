/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads wait for a result that a third one is slow to give. */
#include <chrono>
#include <future>
#include <thread>

int main()
{
	for (;;) {
		std::promise<int> promise;
		std::shared_future<int> result = promise.get_future().share();
		std::thread maker([&] {
			std::this_thread::sleep_for(std::chrono::milliseconds(20));
			promise.set_value(1);
		});
		std::thread waiter([result] { result.wait(); });

		result.wait_for(std::chrono::seconds(10));
		maker.join();
		waiter.join();
	}
}
